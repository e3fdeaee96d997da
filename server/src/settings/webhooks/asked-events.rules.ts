import { didYouMean, type FieldFilter, nearestWord } from '../../kernel/schema/index.ts'

/** What events can be about; see `EventSource`. */
interface Source {
  readonly resourceType: string
  readonly kinds: readonly string[]
  readonly fields: readonly string[]
  readonly filters: ReadonlyMap<string, Pick<FieldFilter, 'form' | 'parse' | 'takesSeveral'>>
}

/** The values of each filter, by its name. */
export type FilterValues = Readonly<Record<string, readonly string[]>>

/** The events that a subscription asks for. */
export interface AskedEvents {
  /** `contact.created`, `contact.*` or `*`. */
  readonly kinds: readonly string[]
  readonly filter: FilterValues
  readonly changedFields: readonly string[]
}

const mostKinds = 50
const mostFields = 50
const mostValues = 20

/** What is wrong with them, and which word is probably meant; null if they are valid. */
export function wrongEvents({ kinds, filter, changedFields }: AskedEvents, sources: readonly Source[]): string | null {
  if (kinds.length > mostKinds) return `a webhook has at most ${mostKinds} kinds of events`
  const known = ['*', ...sources.flatMap(source => [anyOf(source), ...source.kinds])]
  const unknown = kinds.find(word => !known.includes(word))
  if (unknown !== undefined)
    return `no such kind of events: ${shortened(unknown)}${didYouMean(nearest(unknown, known))}`
  const asked = sources.filter(source => kinds.some(word => word === '*' || isAbout(word, source)))
  return wrongFields(changedFields, asked) ?? wrongFilter(filter, asked)
}

const anyOf = ({ resourceType }: Source) => `${resourceType}.*`

function isAbout(word: string, source: Source): boolean {
  return word === anyOf(source) || source.kinds.includes(word)
}

/** A word of one kind of records is compared with the words of that kind, if there is one. */
function nearest(word: string, known: readonly string[]): string | null {
  const [type] = word.split('.')
  return nearestWord(word, known) ?? known.find(each => each === `${type}.*`) ?? null
}

function wrongFields(fields: readonly string[], asked: readonly Source[]): string | null {
  if (fields.length > mostFields) return `a webhook has at most ${mostFields} changed fields`
  const known = [...new Set(asked.flatMap(source => source.fields))]
  const unknown = fields.find(field => !known.includes(field))
  if (unknown === undefined) return null
  return `no event of these kinds names a changed field ${shortened(unknown)}${didYouMean(nearestWord(unknown, known))}`
}

function wrongFilter(filter: FilterValues, asked: readonly Source[]): string | null {
  const names = Object.keys(filter)
  if (names.length === 0) return null
  const [source, another] = asked
  if (source === undefined || another !== undefined)
    return `a filter is one of the list of one kind of records: these kinds of events are about ${asked.map(each => each.resourceType).join(', ')}`
  for (const [name, values] of Object.entries(filter)) {
    const declared = source.filters.get(name)
    if (declared === undefined) {
      const known = [...source.filters.keys()]
      return `no such filter of the kind ${source.resourceType}: ${shortened(name)}${didYouMean(nearestWord(name, known))}`
    }
    if (values.length > 1 && !declared.takesSeveral) return `the filter ${name} takes one value`
    if (values.length > mostValues) return `the filter ${name} takes at most ${mostValues} values`
    const wrong = values.find(value => declared.parse(value) === undefined)
    if (wrong !== undefined) return `"${shortened(wrong)}" is no value of the filter ${name}: ${declared.form}`
  }
  return null
}

/** What a message quotes of a word that may be long. */
function shortened(word: string): string {
  return word.length > 100 ? `${word.slice(0, 100)}…` : word
}
