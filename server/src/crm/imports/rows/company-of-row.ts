import {
  addingLink,
  creating,
  type FoundRecord,
  type Kinds,
  type Lookup,
  type Needs,
  type RecordState,
  type Step,
  updating,
  type WriteContext,
} from '../../../kernel/index.ts'
import { type Configuration, type Reference, Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { company } from '../../companies/index.ts'
import { contact } from '../../contacts/index.ts'
import { companyContacts } from '../fields/entity-types.ts'
import type { StartOptions } from '../start-options.ts'
import { CompanyNames } from './company-names.ts'
import { decideNewCompany, inputOfNewCompany } from './new-company.ts'
import type { RowError } from './row-error.ts'
import { errorsOfRefusal } from './row-outcome.ts'
import { type RowPlan, textValue } from './row-plan.ts'

export interface CompanyRows {
  readonly kinds: Kinds
  readonly options: StartOptions
  /** The companies that rows name. */
  readonly companies: Lookup<readonly FoundRecord[]>
}

/** Why a row is not applied, the cell without which it is applied, or the function that adds its contact to its company. */
type CompanyOfRow =
  | { readonly errors: readonly RowError[] }
  | { readonly leftOut: RowError }
  | {
      readonly isNew: boolean
      /** Applies the steps of the company; false if there are none. The contact must have been applied before. */
      keep(): boolean
    }

/**
 * What the companies of contacts need: themselves, and all their contacts, because the new link becomes the last of them; and the keys of
 * those that are created.
 */
export function needCompanies(
  needs: Needs,
  plans: readonly RowPlan[],
  work: WorkingSet,
  configuration: Configuration,
  rows: CompanyRows,
): void {
  const named = plans.filter(({ values }) => values.has('companyName') || values.has('companyExternalId'))
  if (named.length === 0) return
  const { kinds, companies } = rows
  if (named.some(({ values }) => values.has('companyName'))) needs.toLoad(companies)
  const names = new CompanyNames(companies, work)
  for (const plan of named) {
    const externalId = textValue(plan, 'companyExternalId')
    if (externalId !== null) needs.toChange(company, { externalId })
    // Their keys decide whether the row is about one of them.
    for (const id of mayTakeKey(plan, rows) ? names.named(textValue(plan, 'companyName') ?? '') : [])
      needs.toChange(company, { id })
    const found = findCompany(plan, rows, names, work)
    const input = found === 'unknown' ? inputOfNewCompany(plan, rows) : null
    if (input !== null) creating(company, input, kinds).needs(needs, work, configuration)
    if (typeof found === 'string') continue
    if ('id' in found.company) needs.toChange(company, found.company)
    const id = 'id' in found.company ? found.company.id : work.resolve(company.kind, found.company)
    const { links } = companyContacts(kinds)
    if ('parent' in links && typeof id === 'string') needs.toLoadNestedIn(links, id)
  }
}

/** Decides how the contact of a row is added to its company, which is created if the import does so. */
export function decideCompany(
  plan: RowPlan,
  person: RecordState,
  rows: CompanyRows,
  names: CompanyNames,
  work: WorkingSet,
  write: WriteContext,
): CompanyOfRow {
  const { kinds, options } = rows
  const found = findCompany(plan, rows, names, work)
  if (found === 'ambiguous') {
    const message = 'Several companies have this name'
    return { errors: [plan.fail({ code: 'ambiguous_match', message }, 'companyName')] }
  }
  const linkTo = (owner: Reference) => {
    const link = { owner, target: { id: person.id }, isPrimary: false, said: {} }
    return addingLink(companyContacts(kinds), contact, link).decide('', work, write)
  }
  const key = plan.values.has('companyExternalId') ? 'companyExternalId' : 'companyName'
  if (found === 'unknown') {
    const input = inputOfNewCompany(plan, rows)
    if (input === null) {
      const error = plan.fail({ code: 'reference_not_found', message: 'There is no such company' }, key)
      return options.missingCompany === 'leave_out' ? { leftOut: error } : { errors: [error] }
    }
    const made = decideNewCompany(plan, input, kinds, work, write)
    if ('errors' in made) return made
    return {
      isNew: true,
      keep() {
        apply(made, work)
        names.add(String(made.record.name), made.record.id)
        apply(certain(linkTo({ id: made.record.id })), work)
        return true
      },
    }
  }
  const linked = linkTo(found.company)
  if (linked instanceof Refusal) {
    const pointers = new Map(['/owner', '/target'].map(pointer => [pointer, key]))
    const [error, ...others] = errorsOfRefusal(linked, plan, pointers)
    const isGone = error?.code === 'external_reference_deleted' && options.missingCompany === 'leave_out'
    return isGone ? { leftOut: error } : { errors: error === undefined ? others : [error, ...others] }
  }
  return {
    isNew: false,
    keep() {
      apply(linked, work)
      if (found.externalId === null) return linked.effect !== null
      const { id, version } = linked.record
      const input = { externalId: found.externalId, expectedVersion: version }
      apply(certain(updating(company, id, input, kinds).decide('', work, write)), work)
      return true
    },
  }
}

/** A company and the key that it gets; or why no company is the one of the row. */
type FoundCompany = { readonly company: Reference; readonly externalId: string | null } | 'ambiguous' | 'unknown'

/**
 * The company that a row names: by its key, or else by its name. If companies are created, a company without a key of this application can
 * get the key of the row.
 */
function findCompany(plan: RowPlan, rows: CompanyRows, names: CompanyNames, work: WorkingSet): FoundCompany {
  const externalId = textValue(plan, 'companyExternalId')
  const name = textValue(plan, 'companyName')
  if (externalId !== null && work.key(company.kind, externalId) !== null)
    return { company: { externalId }, externalId: null }
  if (name === null || (externalId !== null && !mayTakeKey(plan, rows))) return 'unknown'
  const hasNoKey = (id: string) => (work.record(company.kind, id)?.externalId ?? null) === null
  const ids = names.named(name).filter(id => externalId === null || hasNoKey(id))
  const [id, second] = ids
  if (id === undefined) return 'unknown'
  return second === undefined ? { company: { id }, externalId } : 'ambiguous'
}

/** Whether a company that is found by the name of a row gets the key of the row. */
function mayTakeKey({ values }: RowPlan, { options }: CompanyRows): boolean {
  return options.missingCompany === 'create' && values.has('companyExternalId') && values.has('companyName')
}

function apply({ effect }: Step, work: WorkingSet): void {
  if (effect !== null) work.apply(effect)
}

/** A step of a company that the row is free to take: the company is new, or is locked and has no key. */
function certain<Decided>(step: Decided | Refusal): Decided {
  if (step instanceof Refusal) throw new Error(`the company of a row was refused: ${step.code}`)
  return step
}
