// Control characters, and those that change the direction of what follows.
const dangerous = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** A text of somebody else in one line, so that it can neither control the terminal nor pass for another line. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/gu, ' ').replaceAll(dangerous, '\u{fffd}')
}

/** A value as JSON in one line, with such characters escaped: programs read the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    dangerous,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
