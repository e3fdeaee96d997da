import { longestEscape } from './escapes.ts'
import { type NormalForm, normalForm } from './normal-form.ts'
import { type WrittenSecret, writtenSecrets } from './written-secrets.ts'

const masked = '[secret]'

/**
 * Removes a secret from what another system sent, both verbatim and in the encodings in which systems echo a request: escapes of JSON, HTML
 * and percent-encoding, of all or some characters, in UTF-8 and Latin-1, hexadecimal and Base64. The time is proportional to the length of
 * the text.
 */
export class Masking {
  readonly #written: readonly WrittenSecret[]
  readonly #isAscii: boolean

  /** The secret is null if none is set, and the user name is null if none is sent with it. */
  constructor(secret: string | null, username: string | null) {
    this.#written = secret === null || secret === '' ? [] : writtenSecrets(secret, username)
    this.#isAscii = secret === null || Buffer.byteLength(secret) === secret.length
  }

  /** The text of a response. If `isCut` is set, it may end in the middle of a secret, so its end is removed. */
  maskBytes(body: Uint8Array, isCut = false): string {
    const bytes = Buffer.from(body)
    // If the bytes were decoded as UTF-8, Latin-1 characters could no longer be distinguished.
    const safe = this.#isAscii ? bytes : Buffer.from(this.mask(bytes.toString('latin1'), isCut), 'latin1')
    return this.mask(new TextDecoder().decode(safe), isCut)
  }

  /** A text that is safe to show. If `isCut` is set, it may end in the middle of a secret, so its end is removed. */
  mask(text: string, isCut = false): string {
    if (this.#written.length === 0) return text
    // For each position, the number of secrets that begin there minus the number that end there.
    const turns = new Int32Array(text.length + 1)
    let end = text.length
    for (const resolved of /[%&\\]/u.test(text) ? (['none', 'once', 'all'] as const) : (['none'] as const)) {
      const form = normalForm(text, resolved)
      for (const written of this.#written) {
        const begun = hide(turns, form, written)
        if (isCut) end = Math.min(end, begun)
      }
    }
    return shown(text, turns, end)
  }
}

/** Records where the secret occurs in the form. Returns where the text must end so that it shows no prefix of a secret. */
function hide(turns: Int32Array, form: NormalForm, { pattern, before, after }: WrittenSecret): number {
  // The last of them may be part of a truncated escape.
  const tail = Math.max(0, form.length - longestEscape)
  let begun = tail
  const startOf = (index: number) => form.starts[Math.max(0, index)] ?? 0
  pattern.follow(form, tail - 1, (index, matched) => {
    const first = index + 1 - matched - before
    if (index >= tail - 1) begun = Math.min(begun, first)
    if (matched < pattern.length) return
    const start = startOf(first)
    const end = form.ends[Math.min(index + after, form.length - 1)] ?? 0
    turns[start] = (turns[start] ?? 0) + 1
    turns[end] = (turns[end] ?? 0) - 1
  })
  return startOf(begun)
}

function shown(text: string, turns: Int32Array, end: number): string {
  const pieces: string[] = []
  let depth = 0
  let shownFrom = 0
  for (let at = 0; at < end; at += 1) {
    const next = depth + (turns[at] ?? 0)
    if (depth === 0 && next > 0) pieces.push(text.slice(shownFrom, at), masked)
    if (next === 0) shownFrom = depth > 0 ? at : shownFrom
    depth = next
  }
  if (depth === 0) pieces.push(text.slice(shownFrom, end))
  return pieces.join('')
}
