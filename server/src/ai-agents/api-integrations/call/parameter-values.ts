import { type Issue, isObject, type Refusal, unprocessable, violates } from '../../../kernel/schema/index.ts'
import type { Parameter } from '../api-integration.rules.ts'
import { isOfType } from '../parameters-field.ts'

/** The values of parameters in one call, by name; absent parameters have none. */
export type ParameterValues = ReadonlyMap<string, string | number | boolean>

const longestText = 10_000

/** Parses the values of a call from JSON that a person or a model wrote; or returns a refusal that lists every error. */
export function parameterValues(parameters: readonly Parameter[], given: unknown): ParameterValues | Refusal {
  if (!isObject(given)) return violates('', 'type', 'An object with a member for each parameter is expected')
  const issues: Issue[] = []
  const values = new Map<string, string | number | boolean>()
  for (const name of Object.keys(given))
    if (!parameters.some(parameter => parameter.name === name))
      issues.push({ path: `/${name}`, rule: 'unknown_field', message: `There is no parameter ${name}` })
  for (const parameter of parameters) {
    const value = Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined
    const message = value === undefined ? missing(parameter) : wrongValue(parameter, value)
    if (message !== null) issues.push({ path: `/${parameter.name}`, rule: 'parameter', message })
    else if (isScalar(value)) values.set(parameter.name, value)
  }
  return issues.length > 0 ? unprocessable(issues) : values
}

function missing({ name, required }: Parameter): string | null {
  return required ? `${name} is required` : null
}

function wrongValue({ name, type, in: place, enum: allowed }: Parameter, value: unknown): string | null {
  if (!isScalar(value) || !isOfType(value, type)) return `${name} is a value of the type ${type}`
  if (allowed !== null && !allowed.includes(value)) return `${name} is one of ${allowed.map(String).join(', ')}`
  if (typeof value !== 'string') return null
  if (value.length > longestText) return `${name} has at most ${longestText} characters`
  if (!value.isWellFormed()) return `${name} is not valid Unicode`
  return place === 'path' && value === '' ? `${name} stands in the path and cannot be empty` : null
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
