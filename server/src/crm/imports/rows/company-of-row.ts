import {
  addingLink,
  type FoundRecord,
  type Kinds,
  type Lookup,
  type Needs,
  type RecordState,
  recordsFound,
  type Step,
  type WriteContext,
} from '../../../kernel/index.ts'
import { Refusal, searchForm } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { company } from '../../companies/index.ts'
import { contact } from '../../contacts/index.ts'
import { companyContacts } from '../fields/entity-types.ts'
import { ofCompany } from './match-values.ts'
import { type RowPlan, textValue } from './plan-row.ts'
import { errorsOfRefusal, failed, type RowOutcome } from './row-outcome.ts'

export interface CompanyRows {
  readonly kinds: Kinds
  /** The companies that rows name. */
  readonly companies: Lookup<readonly FoundRecord[]>
}

/** Finds the companies that rows name. */
export function companiesOf(
  plans: readonly RowPlan[],
  { applicationId }: { readonly applicationId: string | null },
): CompanyRows['companies'] {
  const values = plans.flatMap(plan => textValue(plan, 'companyName') ?? [])
  return recordsFound(company, ofCompany, { values, withoutKey: [], applicationId })
}

/** What the companies of contacts need: themselves, and all their contacts, because the new link becomes the last of them. */
export function needCompanies(
  needs: Needs,
  plans: readonly RowPlan[],
  work: WorkingSet,
  { kinds, companies }: CompanyRows,
): void {
  if (plans.some(plan => plan.values.has('companyName'))) needs.toLoad(companies)
  for (const plan of plans) {
    const externalId = textValue(plan, 'companyExternalId')
    if (externalId !== null) needs.toChange(company, { externalId })
    const ids =
      externalId === null
        ? companiesNamed(textValue(plan, 'companyName'), work.read(companies))
        : keyedId(externalId, work)
    const [id, second] = ids
    if (id === undefined || second !== undefined) continue
    // The lookup by key already includes it.
    if (externalId === null) needs.toChange(company, { id })
    const { links } = companyContacts(kinds)
    if ('parent' in links) needs.toLoadNestedIn(links, id)
  }
}

/** The step that adds the contact of a row to its company, or the reason why it cannot. A company is never created here. */
export function decideCompany(
  plan: RowPlan,
  person: RecordState,
  { kinds, companies }: CompanyRows,
  work: WorkingSet,
  write: WriteContext,
): Step | RowOutcome {
  const key = plan.values.has('companyExternalId') ? 'companyExternalId' : 'companyName'
  const owner = ownerOf(plan, work.read(companies))
  if (typeof owner !== 'object') {
    const [code, message] =
      owner === 'ambiguous'
        ? (['ambiguous_match', 'Several companies have this name'] as const)
        : (['reference_not_found', 'There is no such company'] as const)
    return failed([plan.fail({ code, message }, key)])
  }
  const link = { owner, target: { id: person.id }, isPrimary: false, said: {} }
  const step = addingLink(companyContacts(kinds), contact, link).decide('', work, write)
  const pointers = new Map([
    ['/owner', key],
    ['/target', key],
  ])
  return step instanceof Refusal ? failed(errorsOfRefusal(step, plan, pointers)) : step
}

function ownerOf(
  plan: RowPlan,
  found: readonly FoundRecord[],
): { id: string } | { externalId: string } | 'ambiguous' | 'unknown' {
  const externalId = textValue(plan, 'companyExternalId')
  if (externalId !== null) return { externalId }
  const [id, second] = companiesNamed(textValue(plan, 'companyName'), found)
  if (id === undefined) return 'unknown'
  return second === undefined ? { id } : 'ambiguous'
}

function keyedId(externalId: string, work: WorkingSet): string[] {
  const mapping = work.key('company', externalId)
  return mapping?.state === 'live' ? [mapping.resourceId] : []
}

/** The companies with this name, regardless of case. */
function companiesNamed(name: string | null, found: readonly FoundRecord[]): string[] {
  if (name === null) return []
  return found.filter(record => searchForm(String(record.name)) === searchForm(name)).map(({ id }) => id)
}
