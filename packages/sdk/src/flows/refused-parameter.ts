import { CrmError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'

/** Whether a server refuses a parameter of the query because it is of an earlier release, which does not know it. */
export function refusesParameter(error: unknown, name: string): boolean {
  if (!CrmError.is(error) || error.code !== 'validation_error') return false
  const { issues } = error.details
  return Array.isArray(issues) && issues.some((issue: unknown) => isObject(issue) && issue.path === `query:${name}`)
}
