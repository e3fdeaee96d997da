import { type Api, type ApiDocument, type Method, queryTypeOf, typeName } from './api.ts'
import { documentation } from './documentation.ts'

/** An interface for each resource, with its methods and the resources below it, and `Resources`, which has them all. */
export function printResources({ document, methods }: Api): string {
  const resources = new Map<string, Method[]>()
  for (const method of methods) resources.set(method.resource, [...(resources.get(method.resource) ?? []), method])
  const names = [...resources.keys()]
  const interfaces = names.map(resource => {
    const members = [
      ...names.filter(name => parentOf(name) === resource).map(child => printChild(child, document)),
      ...(resources.get(resource) ?? []).map(method => printMethod(method, document)),
    ]
    return `export interface ${interfaceName(resource, document)} {\n${members.join('\n\n')}\n}\n`
  })
  const roots = names.filter(name => parentOf(name) === undefined)
  const all = roots.map(name => printChild(name, document)).join('\n')
  return [
    "import type { Answer } from '../core/answer.ts'",
    "import type { ReadOptions, WriteOptions } from '../core/options.ts'",
    "import type { List } from '../core/pages.ts'",
    `import type {\n${typesOf(methods, document)
      .map(name => `  ${name},\n`)
      .join('')}} from './schemas.ts'\n`,
    `/** The resources of the API, with a method for each of its operations. */\nexport interface Resources {\n${all}\n}\n`,
    ...interfaces,
  ].join('\n')
}

/** One method: path parameters, body, query, options. */
export function printMethod(method: Method, document: ApiDocument): string {
  const { row, name, pathParameters, queryParameters } = method
  const mayBeLeftOut = queryParameters.every(({ required }) => required !== true)
  const parameters = [
    ...pathParameters.map(parameter => `${parameter.name}: string`),
    ...(row.body === undefined ? [] : [`body: ${bodyType(row.body)}`]),
    ...(queryParameters.length === 0 ? [] : [`query${mayBeLeftOut ? '?' : ''}: ${queryTypeOf(method)}`]),
    `options?: ${row.keyed === true ? 'WriteOptions' : 'ReadOptions'}`,
  ]
  return `${documentation(method)}\n  ${name}(${parameters.join(', ')}): ${answerType(method, document).text}`
}

const bodyType = (body: string): string => (body === 'form' ? 'FormData' : body)

function printChild(resource: string, document: ApiDocument): string {
  return `  readonly ${resource.slice(resource.lastIndexOf('.') + 1)}: ${interfaceName(resource, document)}`
}

/** The name of the interface of a resource. A component that has the name already keeps it. */
export function interfaceName(resource: string, { components }: Pick<ApiDocument, 'components'>): string {
  const name = typeName(resource)
  return name in components.schemas ? `${name}Resource` : name
}

export function parentOf(resource: string): string | undefined {
  const point = resource.lastIndexOf('.')
  return point < 0 ? undefined : resource.slice(0, point)
}

/** What a method returns, and the components in it: the data of the envelope, or the elements of a list that has pages, and the `meta`. */
function answerType(method: Method, document: ApiDocument): { text: string; components: readonly string[] } {
  const { row } = method
  const { element, data } = answered(method, document)
  const { meta } = document.components.schemas[row.answer]?.properties ?? {}
  const named = componentOf(meta?.$ref)
  const beside = meta === undefined ? '' : `, ${named ?? `${row.answer}['meta']`}`
  const components = [element ?? data ?? row.answer, ...(meta === undefined ? [] : [named ?? row.answer])]
  if (element !== undefined && row.paged === true) return { text: `List<${element}${beside}>`, components }
  const content = element === undefined ? (data ?? `${row.answer}['data']`) : `${element}[]`
  return { text: `Answer<${content}${beside}>`, components }
}

/** The component that is the data of an answer, or that its elements are. Neither if it has no name. */
export function answered(
  { row }: Method,
  { components }: Pick<ApiDocument, 'components'>,
): { readonly element?: string; readonly data?: string } {
  const found = components.schemas[row.answer]?.properties?.data
  const [element, data] = [componentOf(found?.items?.$ref), componentOf(found?.$ref)]
  if (row.paged === true && element === undefined) throw new Error(`The elements of ${row.id} have no name`)
  if (element !== undefined) return { element }
  return data === undefined ? {} : { data }
}

const componentOf = (reference: string | undefined): string | undefined => reference?.split('/').at(-1)

/** All types of `schemas.ts` that the methods name, sorted. */
function typesOf(methods: readonly Method[], document: ApiDocument): string[] {
  const names = methods.flatMap(method => [
    ...answerType(method, document).components,
    ...(method.row.body === undefined || method.row.body === 'form' ? [] : [method.row.body]),
    ...(method.queryParameters.length === 0 ? [] : [queryTypeOf(method)]),
  ])
  return [...new Set(names)].sort()
}
