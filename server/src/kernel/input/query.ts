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
  /** The most values of a parameter that may be repeated. Its value is then the list of the different ones. */
  readonly most?: number
  /** Set if the parameter stands for all that have a name of this form: `customField.<key>`; at most `most` names. */
  readonly names?: {
    readonly form: RegExp
    readonly most: number
    /** One of the names, and the name of the component that has all of them, in the document. */
    readonly example: string
    readonly component: string
  }
  /** A value in the document, if the schema has none. */
  readonly example?: string
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
    const parameter = parameterOf(declaration, name)
    if (text === notUtf8) issue(name, 'encoding', 'Percent-encode this parameter as UTF-8; a percent sign is %25')
    else if (parameter === undefined)
      issue(name, 'unknown_parameter', unknown(name, Object.keys(declaration), issues.length))
    else if (parameter.most !== undefined) {
      const texts = [text].flat()
      const list = texts.map(each => valueOf(parameter, each))
      if (texts.length > parameter.most) issue(name, 'most', `Give this parameter at most ${parameter.most} times`)
      else if (list.includes(undefined)) issue(name, 'format', parameter.description)
      else values[name] = [...new Set(list)]
    } else if (typeof text !== 'string') issue(name, 'single', 'Give this parameter once')
    else {
      const value = valueOf(parameter, text)
      if (value === undefined) issue(name, 'format', parameter.description)
      else values[name] = value
    }
  }
  for (const [name, parameter] of Object.entries(declaration)) {
    const { names } = parameter
    const tooMany =
      names === undefined
        ? []
        : Object.keys(raw)
            .filter(each => names.form.test(each))
            .slice(names.most)
    for (const each of tooMany) issue(each, 'most', `At most ${names?.most} parameters ${name} are taken`)
    if (parameter.required && !Object.hasOwn(raw, name)) issue(name, 'required', 'This parameter is required')
  }
  return { values, issues }
}

/** The parameter that a name belongs to. */
function parameterOf(declaration: QueryDeclaration, name: string): QueryParameter | undefined {
  const own = Object.hasOwn(declaration, name) ? declaration[name] : undefined
  if (own !== undefined && own.names === undefined) return own
  return Object.values(declaration).find(({ names }) => names?.form.test(name))
}

function valueOf(parameter: QueryParameter, text: unknown): unknown {
  return typeof text !== 'string' || text.includes('\0') ? undefined : parameter.parse(text)
}

/** The parameters that exist instead. Issues beyond those that an answer lists do not need this text. */
function unknown(name: string, known: readonly string[], earlier: number): string {
  if (known.length === 0) return 'Unknown query parameter: there are none here'
  const nearest = earlier < bounds.issues.most ? nearestWord(name, known) : null
  return `Unknown query parameter${didYouMean(nearest)} There are: ${known.join(', ')}`
}
