import { searchForm } from '../../../kernel/schema/index.ts'
import { knownLanguages } from './known-languages.ts'

const shortest = 3

let names: ReadonlyMap<string, number | null> | undefined

/**
 * The number of a month, 1 to 12, by its name in one of the known languages, a usual abbreviation, or the first letters of the name, at
 * least three. Ignores case, accents and a final full stop. Null if unknown, or if the letters begin the names of several months.
 */
export function monthNamed(word: string): number | null {
  names ??= namesOfMonths()
  return names.get(plain(word)) ?? null
}

function plain(word: string): string {
  return searchForm(word).replace(/\.$/u, '')
}

function namesOfMonths(): ReadonlyMap<string, number | null> {
  const found = new Map<string, number | null>()
  const add = (name: string, month: number) => {
    const other = found.get(name)
    found.set(name, other === undefined || other === month ? month : null)
  }
  // As German spreadsheets write it.
  add('mrz', 3)
  for (const language of [...knownLanguages, 'de-AT']) {
    // In a date a name may have another case than alone.
    const long = [{ month: 'long' }, { month: 'long', day: 'numeric' }] as const
    for (const form of long)
      for (const [name, month] of monthsIn(language, form))
        for (let end = shortest; end <= name.length; end += 1) add(name.slice(0, end), month)
    for (const [name, month] of monthsIn(language, { month: 'short', day: 'numeric' })) add(name, month)
  }
  return found
}

function monthsIn(language: string, form: Intl.DateTimeFormatOptions): (readonly [name: string, month: number])[] {
  const calendar = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC', calendar: 'gregory' })
  return Array.from({ length: 12 }, (_, index) => {
    const parts = calendar.formatToParts(Date.UTC(2024, index, 15))
    return [plain(parts.find(({ type }) => type === 'month')?.value ?? ''), index + 1] as const
  })
}
