import { type Issue, isSameHeader, type JsonObject, type Refusal, unprocessable } from '../../kernel/schema/index.ts'
import { hostOf, placeholdersIn, urlTemplate } from './placeholders.rules.ts'

/** A parameter that a model may fill in, and where its value goes. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'body'
  readonly type: 'string' | 'number' | 'integer' | 'boolean'
  readonly description: string
  readonly required: boolean
  readonly enum: readonly (string | number | boolean)[] | null
}

export interface Header {
  readonly name: string
  readonly value: string
}

/** How a call authenticates. `headerName` belongs to `api_key`, `username` to `basic`; otherwise they are null. */
export interface Auth {
  readonly type: 'none' | 'bearer' | 'basic' | 'api_key'
  readonly headerName: string | null
  readonly username: string | null
}

/** The fields that the rules check. */
interface State {
  readonly url: string
  readonly parameters: readonly Parameter[]
  readonly headers: readonly Header[]
  readonly auth: Auth
  readonly bodyTemplate: string | null
  /** Encrypted. */
  readonly secret: string | null
  readonly secretUpdatedAt: string | null
}

interface Context<S> {
  readonly previous: S | null
  readonly input: JsonObject
  readonly write: { readonly now: string }
}

/** Rules for API integrations beyond those of their fields (contract section 13.2). */
export const apiIntegrationRules = {
  forbids: '`url`, `parameters`, `headers`, `auth` and `bodyTemplate` contradict each other.',

  /** Checks that the parts are consistent. Two parts are compared only if both are known. */
  settle<S extends State>(next: S, { previous, input, write }: Context<S>): S | Refusal {
    const issues = contradictions(next)
    return issues.length > 0 ? unprocessable(issues) : { ...next, ...settleSecret(next, previous, input, write.now) }
  },
}

/**
 * A secret is bound to a host and an authentication method. If either changes, the secret is cleared, unless the change includes one: a
 * caller who may change the address must not be able to send the stored secret to another host.
 */
function settleSecret<S extends State>(next: S, previous: S | null, { secret }: JsonObject, now: string) {
  if (secret !== undefined) return { secretUpdatedAt: secret === null ? null : now }
  const isKept = previous !== null && hostOf(previous.url) === hostOf(next.url) && previous.auth.type === next.auth.type
  return isKept ? {} : { secret: null, secretUpdatedAt: null }
}

type Parts = Partial<Pick<State, 'url' | 'parameters' | 'headers' | 'auth' | 'bodyTemplate'>>

/** Contradictions among the known parts. */
export function contradictions({ url, parameters, headers, auth, bodyTemplate }: Parts): Issue[] {
  return [
    ...(url === undefined || parameters === undefined ? [] : ofAddress(url, parameters)),
    ...(parameters === undefined || typeof bodyTemplate !== 'string' ? [] : ofBody(bodyTemplate, parameters)),
    ...ofHeaders(headers ?? [], parameters ?? [], auth),
  ]
}

/** Every placeholder must be a parameter with the same location, and every path parameter must have a placeholder. */
function ofAddress(url: string, parameters: readonly Parameter[]): Issue[] {
  const { path, query } = urlTemplate(url)
  const places = [
    ['path', placeholdersIn(path)],
    ['query', placeholdersIn(query)],
  ] as const
  const undeclared = places.flatMap(([place, names]) =>
    [...names].flatMap(name => {
      if (parameters.some(parameter => parameter.name === name && parameter.in === place)) return []
      const message = `{${name}} stands in the ${place}, but there is no parameter ${name} in: ${place}`
      return [{ path: '/url', rule: 'undeclared_parameter', message }]
    }),
  )
  const [[, inPath]] = places
  const unused = parameters.flatMap(({ name, in: place }, index) => {
    if (place !== 'path' || inPath.has(name)) return []
    return [{ path: `/parameters/${index}`, rule: 'unused_parameter', message: `The path of url has no {${name}}` }]
  })
  return [...undeclared, ...unused]
}

/** Other texts in braces are left unchanged: they may belong to the language of the body. */
function ofBody(template: string, parameters: readonly Parameter[]): Issue[] {
  const names = placeholdersIn(template)
  return parameters.flatMap(({ name, in: place }, index) => {
    if (place !== 'body' || names.has(name)) return []
    return [{ path: `/parameters/${index}`, rule: 'unused_parameter', message: `bodyTemplate has no {${name}}` }]
  })
}

/** Each header has one source: the list, a parameter, or auth. */
function ofHeaders(headers: readonly Header[], parameters: readonly Parameter[], auth: Auth | undefined): Issue[] {
  const ofAuth = auth === undefined || auth.type === 'none' ? [] : ['Authorization', auth.headerName ?? 'Authorization']
  const clash = (name: string, others: readonly string[], path: string, of: string): Issue[] =>
    others.some(other => isSameHeader(name, other))
      ? [{ path, rule: 'doubled_header', message: `The header ${name} is that of ${of}` }]
      : []
  const listed = headers.map(({ name }) => name)
  return [
    ...headers.flatMap(({ name }, index) => clash(name, ofAuth, `/headers/${index}/name`, 'auth')),
    ...parameters.flatMap(({ name, in: place }, index) => {
      if (place !== 'header') return []
      const path = `/parameters/${index}/name`
      return [...clash(name, ofAuth, path, 'auth'), ...clash(name, listed, path, 'headers')]
    }),
  ]
}
