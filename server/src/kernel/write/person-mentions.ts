import type { RecordState, Resource } from '../record/index.ts'
import { isObject, phoneDigits } from '../schema/index.ts'

/** PostgreSQL regular expressions for texts that mention a person, regardless of case, spaces and number format. */
export interface KnownAs {
  /** For a cell of a table: it contains a full name, an address, a phone or a key of the person, or equals one of the names. */
  readonly inCells: string
  /** For a title that somebody has written: it contains any of these. */
  readonly inTitles: string
  /** For texts that contain an e-mail address of the person; null if none is known. */
  readonly byAddress: string | null
}

/** The most former values to look for. */
const most = 500
const shortest = 3
/** The last digits of a phone number, which are the same however it is dialled. */
const dialled = 9

/** Numbers with fewer digits can mean other things too, unless the cell contains nothing else. */
const fewestDigits = 7

/** The present names of a person, and the former ones from the `changes` of audit entries; null if there are none. */
export function knownAs(person: Resource, record: RecordState, changes: readonly unknown[]): KnownAs | null {
  const present = Object.entries(person.fields)
  const texts = new Set(present.flatMap(([name, { mentionedAs }]) => mentionedAs?.(record[name], record) ?? []))
  const words = new Set<string>()
  const know = (field: string, value: unknown) => {
    const { personal, search, mentionedAs } = person.fields[field] ?? {}
    if (isObject(value)) {
      for (const text of mentionedAs?.({ phones: [], emails: [], ...value }, record) ?? []) texts.add(text)
    }
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

/** Matches the digits of a phone number with anything between and before them; null if the text is not a number. */
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

/** No expression if there is nothing to look for. */
function asWord(expressions: readonly string[]): string[] {
  return expressions.length === 0 ? [] : [`(?:^|[^[:alnum:]])${oneOf(expressions)}(?:$|[^[:alnum:]])`]
}
