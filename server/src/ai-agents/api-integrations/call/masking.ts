import { longestEscape } from './escapes.ts'
import { type NormalForm, normalForm } from './normal-form.ts'
import { type WrittenSecret, writtenSecrets } from './written-secrets.ts'

const masked = '[secret]'

/**
 * Takes a secret out of what another system sent, as it is and in the forms in which systems repeat what they were sent: escapes of
 * JSON, HTML and percent-encoding, for all or for some of its characters, UTF-8 and Latin-1, hexadecimal digits and Base64. The time
 * is in proportion to the length of the text.
 */
export class Masking {
  readonly #written: readonly WrittenSecret[]
  readonly #isAscii: boolean

  /** The secret is null where there is none, and the user name where none is sent with it. */
  constructor(secret: string | null, username: string | null) {
    this.#written = secret === null || secret === '' ? [] : writtenSecrets(secret, username)
    this.#isAscii = secret === null || Buffer.byteLength(secret) === secret.length
  }

  /** The text of an answer. One that `isCut` may end in the middle of a secret; its end is left out. */
  maskBytes(body: Uint8Array, isCut = false): string {
    const bytes = Buffer.from(body)
    // As UTF-8, characters of Latin-1 could not be told apart any more.
    const safe = this.#isAscii ? bytes : Buffer.from(this.mask(bytes.toString('latin1'), isCut), 'latin1')
    return this.mask(new TextDecoder().decode(safe), isCut)
  }

  /** A text as it may be shown. One that `isCut` may end in the middle of a secret; its end is left out. */
  mask(text: string, isCut = false): string {
    if (this.#written.length === 0) return text
    // How many secrets begin at each place, less those that end there.
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

/** Notes where the secret stands in the form. Returns where the text has to end in order to show no beginning of one. */
function hide(turns: Int32Array, form: NormalForm, { pattern, before, after }: WrittenSecret): number {
  // The last of them may be a part of an escape that was cut.
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
