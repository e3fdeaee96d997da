import { findingRecords, inSlices, type Request, type Services } from '../../kernel/index.ts'
import { searchForm } from '../../kernel/schema/index.ts'
import { company } from '../companies/index.ts'
import { ofCompany } from './rows/match-values.ts'

/** How many companies a file names, and how many of them do not exist. */
export interface MissingCompanies {
  readonly named: number
  readonly missing: number
}

/** The names of one statement. */
const namesAtOnce = 1000

/** Counts the companies that do not exist among these names, which differ by more than case, spaces and accents. */
export async function countMissingCompanies(
  names: readonly string[],
  { actor, reader }: Pick<Request, 'actor' | 'reader'>,
  { database }: Pick<Services, 'database'>,
): Promise<MissingCompanies> {
  let missing = 0
  for (let begin = 0; begin < names.length; begin += namesAtOnce) {
    const part = names.slice(begin, begin + namesAtOnce)
    const { statement, values } = findingRecords(company, ofCompany, part)
    const found = await database.search(statement, [actor.organizationId, ...values], reader)
    missing += await inSlices(countUnknown(part, found))
  }
  return { named: names.length, missing }
}

/** The names of no record. A record is found by the words of its name and may have more of them. */
function* countUnknown(names: readonly string[], found: readonly { readonly name?: unknown }[]) {
  const known = new Set<string>()
  for (const { name } of found) {
    known.add(searchForm(String(name)))
    yield
  }
  return names.filter(name => !known.has(searchForm(name))).length
}
