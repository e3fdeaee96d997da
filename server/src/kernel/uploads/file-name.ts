const mostCharacters = 255
/** Also what turns the direction of writing: with it a name shows another ending than it has. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const mediaTypeForm = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/u

/** What a client calls a file, for display: without folders, without characters that nobody sees, and not too long. */
export function cleanFileName(sent: string): string {
  const last = sent.toWellFormed().normalize('NFC').split(/[/\\]/u).at(-1) ?? ''
  const name = [...last.replaceAll(unseen, '').trim()].slice(0, mostCharacters).join('').trim()
  return /^\.*$/u.test(name) ? 'unnamed' : name
}

/** The media type that a client gives a file, or that of any bytes where it gives none. */
export function cleanMediaType(sent: string): string {
  return mediaTypeForm.test(sent) ? sent : 'application/octet-stream'
}
