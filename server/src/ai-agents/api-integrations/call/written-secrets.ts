import { type NormalForm, normalForm } from './normal-form.ts'

/** One encoding in which systems echo a secret. */
export interface WrittenSecret {
  readonly pattern: Pattern
  /** How many units before and after the pattern also belong to the secret. */
  readonly before: number
  readonly after: number
}

/**
 * The encodings of a secret to find in normal forms: verbatim, as bytes, as hexadecimal digits and in Base64; alone, in the credentials of
 * `Basic`, and as a part of something longer. `username` is that of the credentials, null if there are none.
 */
export function writtenSecrets(secret: string, username: string | null): readonly WrittenSecret[] {
  const isLatin = Buffer.from(secret, 'latin1').toString('latin1') === secret
  const encoded = (text: string) => [Buffer.from(text), ...(isLatin ? [Buffer.from(text, 'latin1')] : [])]
  const inBytes = encoded(secret)
  const inCredentials = username === null ? [] : encoded(`${username}:${secret}`)
  const whole = [
    secret,
    ...inBytes.flatMap(bytes => [bytes.toString('latin1'), bytes.toString('hex'), ...base64(bytes)]),
    ...inCredentials.flatMap(base64),
  ].flatMap(text => [{ text, before: 0, after: 0 }])
  const written = new Map(
    [...whole, ...inBytes.flatMap(partsOfBase64)].flatMap(({ text, before, after }) =>
      (['none', 'once', 'all'] as const).map(resolved => {
        const { units, length } = normalForm(text, resolved)
        const form = units.slice(0, length)
        return [`${before} ${after} ${form.join()}`, { form, before, after }] as const
      }),
    ),
  )
  return Array.from(written.values(), ({ form, before, after }) => ({ pattern: new Pattern(form), before, after }))
}

/** With and without its padding. */
function base64(bytes: Buffer): string[] {
  return [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/u, '')]
}

/** Shorter ones would occur in every text. */
const shortestPart = 4

/**
 * The Base64 encoding of bytes within a longer sequence, which depends on their offset within a group of three. The digits that share bits
 * with neighbouring bytes are not part of the pattern; they count as units beside it.
 */
function partsOfBase64(bytes: Buffer): { text: string; before: number; after: number }[] {
  return [0, 1, 2].flatMap(offset => {
    const bits = 8 * (offset + bytes.length)
    const first = Math.ceil((8 * offset) / 6)
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(first, Math.floor(bits / 6))
    if (text.length < shortestPart) return []
    return [{ text, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 }]
  })
}

/** A pattern to find in normal forms with the algorithm of Knuth, Morris and Pratt, whose time is linear for every text. */
class Pattern {
  readonly #units: Uint16Array
  /** For each length of a match, the next shorter match that ends at the same position. */
  readonly #shorter: Uint32Array

  /** `units` are those of a normal form; at least one. */
  constructor(units: Uint16Array) {
    this.#units = units
    this.#shorter = new Uint32Array(units.length + 1)
    let matched = 0
    for (let index = 1; index < units.length; index += 1) {
      matched = this.#next(matched, units[index])
      this.#shorter[index + 1] = matched
    }
  }

  get length(): number {
    return this.#units.length
  }

  /** Finds where the pattern ends in the form; and, for each unit from `tail` on, the length of the pattern's prefix that ends there. */
  follow(form: NormalForm, tail: number, tell: (index: number, matched: number) => void): void {
    let matched = 0
    for (let index = 0; index < form.length; index += 1) {
      if (matched === 0 && index < tail) {
        // The engine's own search is ten times as fast.
        const next = form.units.indexOf(this.#units[0] ?? 0, index)
        index = Math.min(next < 0 ? tail : next, tail)
      }
      matched = this.#next(matched, form.units[index])
      if (matched === this.#units.length || index >= tail) tell(index, matched)
    }
  }

  #next(matched: number, unit: number | undefined): number {
    let length = matched === this.#units.length ? (this.#shorter[matched] ?? 0) : matched
    while (length > 0 && this.#units[length] !== unit) length = this.#shorter[length] ?? 0
    return this.#units[length] === unit ? length + 1 : 0
  }
}
