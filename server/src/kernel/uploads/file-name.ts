const mostCharacters = 255
/**
 * Invisible characters, with those that turn the direction of writing: they make a name show another ending than it
 * has.
 */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const mediaTypeForm = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/u

/** The client's name for a file, for display: without folders and invisible characters, and not too long. */
export function cleanFileName(sent: string): string {
  const last = sent.toWellFormed().normalize('NFC').split(/[/\\]/u).at(-1) ?? ''
  const name = [...last.replaceAll(unseen, '').trim()].slice(0, mostCharacters).join('').trim()
  return /^\.*$/u.test(name) ? 'unnamed' : name
}

/** The media type that the client gave the file; without one, that of arbitrary bytes. */
export function cleanMediaType(sent: string): string {
  return mediaTypeForm.test(sent) ? sent : 'application/octet-stream'
}
