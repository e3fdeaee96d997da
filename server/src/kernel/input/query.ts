import type { Issue } from '../errors/index.ts'
import { bounds } from '../limits/index.ts'
import { didYouMean, type JsonSchema, nearestWord } from '../schema/index.ts'

/** One query parameter. `parse` turns its text into a value; undefined says that the text is not valid. */
export interface QueryParameter {
  readonly schema: JsonSchema
  readonly required?: boolean
  /** Required unless the body contains the same value. OpenAPI cannot express this choice, so the document requires it here. */
  readonly requiredUnlessInBody?: boolean
  readonly description: string
  parse(text: string): unknown
}

export type QueryDeclaration = Readonly<Record<string, QueryParameter>>

/** The value of a parameter whose percent sequences are not UTF-8. */
export const notUtf8 = Symbol('not UTF-8')

/** The typed values of a query, and all its issues. Unknown parameters are refused. */
export function parseQuery(
  declaration: QueryDeclaration,
  raw: Readonly<Record<string, unknown>>,
): { values: Record<string, unknown>; issues: Issue[] } {
  const values: Record<string, unknown> = {}
  const issues: Issue[] = []
  const issue = (name: string, rule: string, message: string) => issues.push({ path: `query:${name}`, rule, message })
  for (const [name, text] of Object.entries(raw)) {
    const parameter = Object.hasOwn(declaration, name) ? declaration[name] : undefined
    if (text === notUtf8) issue(name, 'encoding', 'Percent-encode this parameter as UTF-8; a percent sign is %25')
    else if (parameter === undefined)
      issue(name, 'unknown_parameter', unknown(name, Object.keys(declaration), issues.length))
    else if (typeof text !== 'string') issue(name, 'single', 'Give this parameter once')
    else {
      const value = text.includes('\0') ? undefined : parameter.parse(text)
      if (value === undefined) issue(name, 'format', parameter.description)
      else values[name] = value
    }
  }
  for (const [name, parameter] of Object.entries(declaration)) {
    if (parameter.required && !Object.hasOwn(raw, name)) issue(name, 'required', 'This parameter is required')
  }
  return { values, issues }
}

/** The parameters that exist instead. Issues beyond those that an answer lists do not need this text. */
function unknown(name: string, known: readonly string[], earlier: number): string {
  if (known.length === 0) return 'Unknown query parameter: there are none here'
  const nearest = earlier < bounds.issues.most ? nearestWord(name, known) : null
  return `Unknown query parameter${didYouMean(nearest)} There are: ${known.join(', ')}`
}
