import { isBlank } from './text.ts'

const mostLocalOctets = 64

// Characters beyond ASCII that an address may contain: all but spaces and control characters (RFC 6531).
const beyond = '[^\\x00-\\x7f\\s\\p{Cc}]'
const atom = new RegExp(`^(?:[a-z0-9!#$%&'*+/=?^_\`{|}~-]|${beyond})+$`, 'iu')
const quoted = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u
const label = new RegExp(`^(?:[a-z0-9-]|${beyond})+$`, 'iu')

// The form of nearly all addresses. This check takes a tenth of the time.
const ordinary = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/i

/**
 * Whether a text has the form of an e-mail address (RFC 5321; RFC 6531 for other scripts). A quoted local part and a
 * host of one word are accepted. The local part has at most 64 octets; the caller checks the length of the whole
 * address.
 */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at <= mostLocalOctets && ordinary.test(text)) return true
  return at > 0 && isLocalPart(text.slice(0, at)) && isHost(text.slice(at + 1))
}

function isLocalPart(text: string): boolean {
  // Each UTF-16 code unit is at least one octet, so the octets of a longer text need not be counted.
  if (text.length > mostLocalOctets || Buffer.byteLength(text) > mostLocalOctets) return false
  return quoted.test(text) || (!isBlank(text) && text.split('.').every(part => atom.test(part)))
}

function isHost(text: string): boolean {
  return text.split('.').every(isLabel)
}

function isLabel(text: string): boolean {
  return label.test(text) && !text.startsWith('-') && !text.endsWith('-') && !isBlank(text)
}
