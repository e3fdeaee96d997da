import { UsageError } from '../failure.ts'
import type { JsonObject } from '../json.ts'
import type { DeclaredOption } from './declared.ts'

/** The values of the options of a command, by the names of the parameters. */
export type GivenValues = Readonly<Record<string, unknown>>

/** The query and the members of the body that options give. Throws UsageError for a pair without a key. */
export function given(
  options: readonly DeclaredOption[],
  values: GivenValues,
): { readonly query: JsonObject; readonly body: JsonObject } {
  const placed = (place: DeclaredOption['in']) =>
    Object.fromEntries(
      options
        .filter(option => option.in === place && values[option.name] !== undefined)
        .map(option => [option.name, valueOf(option, values[option.name])]),
    )
  return { query: placed('query'), body: placed('body') }
}

function valueOf({ kind, flag, nullable }: DeclaredOption, value: unknown): unknown {
  if (nullable && value === '') return null
  if (kind === 'boolean') return value === true || value === 'true'
  return kind === 'pairs' && Array.isArray(value) ? pairsIn(value.map(String), flag) : value
}

/** Reads texts such as `region=north` into `{ region: 'north' }`. Throws UsageError for a text without `=`, and for a key given twice. */
function pairsIn(texts: readonly string[], flag: string): JsonObject {
  const pairs: Record<string, string> = {}
  for (const text of texts) {
    const [key = '', ...value] = text.split('=')
    if (key === '' || value.length === 0) throw new UsageError(`--${flag} takes key=value, such as region=north`)
    if (Object.hasOwn(pairs, key)) throw new UsageError(`--${flag} has ${key} twice`)
    pairs[key] = value.join('=')
  }
  return pairs
}

/** Reads a whole number from the text of an option. Throws UsageError for any other text. */
export function integerIn(flag: string): (text: string) => number {
  return text => {
    if (!/^-?\d{1,15}$/u.test(text)) throw new UsageError(`${flag} takes a whole number, and not ${text}`)
    return Number(text)
  }
}

/** The same for a value that can be taken away: then the text is empty. */
export function integerOrNothing(flag: string): (text: string) => number | '' {
  return text => (text === '' ? '' : integerIn(flag)(text))
}

/** Reads one of these words from the text of an option. Throws UsageError for any other text. */
export function wordIn(flag: string, words: readonly string[]): (text: string) => string {
  return text => {
    if (words.includes(text)) return text
    const shown = words.map(word => (word === '' ? "''" : word)).join(', ')
    throw new UsageError(`${flag} takes one of ${shown}, and not ${text}`)
  }
}
