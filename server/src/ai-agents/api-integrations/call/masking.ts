import { credentials } from './fill-headers.ts'

const masked = '[secret]'

/**
 * Takes a secret out of texts that another system sent, as it is and in the forms in which systems repeat what they were sent.
 * `isCut` tells that the text may end in the middle of one.
 */
export class Masking {
  readonly #pattern: RegExp | null
  readonly #longest: number

  constructor(secret: string | null, username: string | null) {
    const forms = secret === null ? [] : formsOf(secret, username)
    this.#longest = Math.max(0, ...forms.map(({ length }) => length))
    // Longer forms first: one can be part of another.
    const sorted = forms.toSorted((one, other) => other.length - one.length)
    this.#pattern = forms.length === 0 ? null : new RegExp(sorted.map(literally).join('|'), 'giu')
  }

  mask(text: string, isCut = false): string {
    if (this.#pattern === null) return text
    const whole = text.replaceAll(this.#pattern, masked)
    // Less than one form is left at the end, so nothing that was replaced is cut in two.
    return isCut ? whole.slice(0, Math.max(0, whole.length - this.#longest)) : whole
  }
}

function formsOf(secret: string, username: string | null): string[] {
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret)
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll('%20', '+'),
    bytes.toString('base64').replace(/=+$/u, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    credentials(username, secret),
  ]
  return [...new Set(forms)]
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
}
