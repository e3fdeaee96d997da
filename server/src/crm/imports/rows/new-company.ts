import { creating, type Kinds, type Step, type WriteContext } from '../../../kernel/index.ts'
import { type Issue, type JsonObject, Refusal, tidyText } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { company } from '../../companies/index.ts'
import type { StartOptions } from '../start-options.ts'
import { codeOfIssue, type RowError, type RowErrorCode } from './row-error.ts'
import { issuesIn } from './row-outcome.ts'
import { type RowPlan, textValue } from './row-plan.ts'

/** The request for the company that a row names, if it does not exist; null if the import creates none, or the row has no name for it. */
export function inputOfNewCompany(plan: RowPlan, { options }: { readonly options: StartOptions }): JsonObject | null {
  const name = textValue(plan, 'companyName')
  if (options.missingCompany !== 'create' || name === null) return null
  const externalId = textValue(plan, 'companyExternalId')
  return { name: tidyText(name).replaceAll(/\s+/gu, ' '), ...(externalId === null ? {} : { externalId }) }
}

/** Decides a new company by the rules for a request; or says why it cannot be created. */
export function decideNewCompany(
  plan: RowPlan,
  input: JsonObject,
  kinds: Kinds,
  work: WorkingSet,
  write: WriteContext,
): Step | { readonly errors: readonly RowError[] } {
  const errorOf = (code: RowErrorCode, message: string, path = '') => {
    const place = path === '' ? '' : `${path}: `
    const key = path === '/externalId' ? 'companyExternalId' : 'companyName'
    return plan.fail({ code, message: `The company cannot be created: ${place}${message}` }, key)
  }
  const errorsOf = (issues: readonly Issue[]) =>
    issues.map(issue => errorOf(codeOfIssue(issue), issue.message, issue.path))
  const { issues } = company.input.create.parse(input)
  if (issues.length > 0) return { errors: errorsOf(issues) }
  const step = creating(company, input, kinds).decide('', work, write)
  if (!(step instanceof Refusal)) return step
  const refused = issuesIn(step)
  return { errors: refused.length > 0 ? errorsOf(refused) : [errorOf('invalid_format', step.message)] }
}
