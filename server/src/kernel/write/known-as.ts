import type { RecordState, Resource } from '../record/resource.ts'
import { isObject, phoneDigits } from '../schema/index.ts'

/** Regular expressions of PostgreSQL for texts that tell of a person, whatever the case, the spaces and the form of numbers. */
export interface KnownAs {
  /** For a cell of a table: it has a full name, an address, a phone or a key of the person, or is one of the names. */
  readonly inCells: string
  /** For a name that somebody has made: it has one of all these. */
  readonly inTitles: string
  /** For what has an e-mail address of the person; null where none is known. */
  readonly byAddress: string | null
}

/** More former values are not looked for. */
const most = 500
const shortest = 3
/** The last digits of a phone number, which all ways to dial it have in common. */
const dialled = 9

/** Numbers with fewer digits stand for other things too, unless they are all that a cell has. */
const fewestDigits = 7

/** What a person is called, and was called before by `changes` of audit entries; null where that is nothing. */
export function knownAs(person: Resource, record: RecordState, changes: readonly unknown[]): KnownAs | null {
  const texts = new Set<string>(person.rules.mentionedAs?.(record) ?? [])
  const words = new Set<string>()
  const know = (field: string, value: unknown) => {
    const { personal, search, mentionedAs } = person.fields[field] ?? {}
    if (isObject(value)) for (const text of mentionedAs?.({ phones: [], emails: [], ...value }) ?? []) texts.add(text)
    if (typeof value !== 'string') return
    if (field === 'externalId') (value.includes('@') ? texts : words).add(value)
    else if (personal && search === 'names') words.add(value)
  }
  for (const [field, value] of Object.entries(record)) know(field, value)
  for (const change of changes.filter(isObject)) {
    know(String(change.field), change.before)
    know(String(change.field), change.after)
  }
  const known = [...texts].filter(isLong).slice(0, most)
  const telling = known.filter(text => !isShortNumber(text))
  const whole = [...known.filter(isShortNumber), ...[...words].filter(isLong).slice(0, most)].map(literally)
  const within = telling.map(text => numberExpression(text) ?? literally(text))
  if (within.length + whole.length === 0) return null
  const addresses = telling.filter(text => text.includes('@')).map(literally)
  return {
    inCells: [...asWord(within), ...(whole.length === 0 ? [] : [`^\\s*${oneOf(whole)}\\s*$`])].join('|'),
    inTitles: asWord([...within, ...whole]).join(''),
    byAddress: asWord(addresses)[0] ?? null,
  }
}

function isLong(text: string): boolean {
  return text.trim().length >= shortest
}

function isShortNumber(text: string): boolean {
  const digits = phoneDigits(text)
  return digits !== null && digits.length < fewestDigits
}

/** The digits of a phone number, with whatever stands between and before them; null where the text is none. */
function numberExpression(text: string): string | null {
  const digits = phoneDigits(text)
  return digits === null ? null : `[^[:alpha:]]{0,20}${Array.from(digits.slice(-dialled)).join('[^[:alnum:]]{0,3}')}`
}

function literally(text: string): string {
  return text
    .trim()
    .replace(/[\\^$.|?*+()[\]{}]/gu, sign => `\\${sign}`)
    .replace(/\s+/gu, String.raw`\s+`)
}

function oneOf(expressions: readonly string[]): string {
  return `(?:${expressions.join('|')})`
}

/** No expression where there is nothing to look for. */
function asWord(expressions: readonly string[]): string[] {
  return expressions.length === 0 ? [] : [`(?:^|[^[:alnum:]])${oneOf(expressions)}(?:$|[^[:alnum:]])`]
}
