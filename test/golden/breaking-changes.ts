import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']

/**
 * What an OpenAPI document takes from clients that were made for an earlier one: routes, parameters, members and values that are
 * gone; requests that were accepted and are refused now; answers that hold less than was promised, or other types. Empty when
 * the document has only grown.
 */
export function breakingChanges(released: JsonObject, current: JsonObject): string[] {
  return operationsOf(released).flatMap(({ name, path, method, operation }) => {
    const now = objectAt(current, 'paths', path, method)
    if (now === null) return [`${name} is gone`]
    return [
      ...new Comparison(released, current, name).parameters(operation, now),
      ...new Comparison(released, current, `${name} body`).requests(bodyOf(operation, released), bodyOf(now, current)),
      ...scopesAdded(operation, now).map(scope => `${name} needs ${scope}`),
      ...answersOf(operation).flatMap(status => {
        const at = ['responses', status, 'content', 'application/json', 'schema']
        const before = objectAt(operation, ...at)
        const after = objectAt(now, ...at)
        if (objectAt(now, 'responses', status) === null) return [`${name} answers ${status} no more`]
        return new Comparison(released, current, `${name} ${status}`).answers(before, after)
      }),
    ]
  })
}

/** Two schemas of two documents, member by member. */
class Comparison {
  readonly #before: JsonObject
  readonly #after: JsonObject
  readonly #name: string
  /** Pairs that are being compared: schemas may refer to themselves. */
  readonly #open = new Set<string>()

  constructor(before: JsonObject, after: JsonObject, name: string) {
    this.#before = before
    this.#after = after
    this.#name = name
  }

  parameters(before: JsonObject, after: JsonObject): string[] {
    const now = new Map(this.#parametersOf(after, this.#after))
    const known = new Map(this.#parametersOf(before, this.#before))
    const gone = [...known.keys()].filter(name => !now.has(name)).map(name => this.#tell(`${name} is gone`))
    const required = [...now].filter(([name, { required }]) => required === true && known.get(name)?.required !== true)
    return [
      ...gone,
      ...required.map(([name]) => this.#tell(`${name} is required`)),
      ...[...known].flatMap(([name, { schema }]) => this.#compare(schema, now.get(name)?.schema, name, 'request')),
    ]
  }

  requests(before: JsonObject | null, after: JsonObject | null): string[] {
    if (before === null) return after?.required === true ? [this.#tell('is required')] : []
    return this.#compare(before.schema, after?.schema, '', 'request')
  }

  answers(before: JsonObject | null, after: JsonObject | null): string[] {
    return before === null ? [] : this.#compare(before, after, '', 'answer')
  }

  #parametersOf(operation: JsonObject, document: JsonObject): (readonly [string, JsonObject])[] {
    const listed = Array.isArray(operation.parameters) ? operation.parameters : []
    return listed.map(each => {
      const parameter = resolve(each, document)
      return [`${parameter.in} parameter ${parameter.name}`, parameter] as const
    })
  }

  #compare(sentBefore: unknown, sentAfter: unknown, at: string, side: 'request' | 'answer'): string[] {
    if (!isObject(sentBefore)) return []
    if (!isObject(sentAfter)) return [this.#tell(`${at} is gone`)]
    const pair = `${side} ${String(sentBefore.$ref)} ${String(sentAfter.$ref)}`
    if (typeof sentBefore.$ref === 'string' && this.#open.has(pair)) return []
    this.#open.add(pair)
    const before = resolve(sentBefore, this.#before)
    const after = resolve(sentAfter, this.#after)
    const found = [
      ...(side === 'request' ? narrowed(before, after) : lessened(before, after)).map(text =>
        this.#tell(`${at} ${text}`),
      ),
      ...Object.entries(propertiesOf(before)).flatMap(([name, schema]) =>
        this.#compare(schema, propertiesOf(after)[name], `${at}/${name}`, side),
      ),
      ...(isObject(before.items) ? this.#compare(before.items, after.items, `${at}/*`, side) : []),
      ...['allOf', 'anyOf', 'oneOf'].flatMap(word =>
        this.#compareLists(before[word], after[word], `${at} ${word}`, side),
      ),
    ]
    this.#open.delete(pair)
    return found
  }

  #compareLists(before: unknown, after: unknown, at: string, side: 'request' | 'answer'): string[] {
    if (!Array.isArray(before)) return Array.isArray(after) ? [this.#tell(`${at} has come`)] : []
    const now = Array.isArray(after) ? after : []
    return before.flatMap((schema, index) => this.#compare(schema, now[index], `${at}/${index}`, side))
  }

  #tell(text: string): string {
    return `${this.#name} ${text}`.replaceAll(/ +/gu, ' ')
  }
}

const atLeast = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const atMost = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

/** What a request may hold no more. */
function narrowed(before: JsonObject, after: JsonObject): string[] {
  const tighter = (word: string, direction: 1 | -1) =>
    typeof after[word] === 'number' &&
    (typeof before[word] !== 'number' || (after[word] - before[word]) * direction > 0)
  return [
    ...listed(before.type)
      .filter(type => after.type !== undefined && !listed(after.type).includes(type))
      .map(type => `is ${type} no more`),
    ...(after.enum === undefined || before.enum === undefined
      ? after.enum !== undefined && before.enum === undefined
        ? ['has a list of values']
        : []
      : listed(before.enum)
          .filter(value => !listed(after.enum).includes(value))
          .map(value => `may be ${value} no more`)),
    ...listed(after.required)
      .filter(name => !listed(before.required).includes(name))
      .map(name => `/${name} is required`),
    ...['pattern', 'format', 'const']
      .filter(word => after[word] !== undefined && before[word] !== after[word])
      .map(word => `has another ${word}`),
    ...atLeast.filter(word => tighter(word, 1)).map(word => `has a greater ${word}`),
    ...atMost.filter(word => tighter(word, -1)).map(word => `has a smaller ${word}`),
    ...(after.additionalProperties === false && before.additionalProperties !== false && before.properties !== undefined
      ? ['takes no further members']
      : []),
  ]
}

/** What readers of an answer could rely on, and can no more. */
function lessened(before: JsonObject, after: JsonObject): string[] {
  return [
    ...listed(after.type)
      .filter(type => before.type !== undefined && !listed(before.type).includes(type))
      .map(type => `may be ${type}`),
    ...(before.type !== undefined && after.type === undefined ? ['may be of any type'] : []),
    ...listed(before.required)
      .filter(name => !listed(after.required).includes(name))
      .map(name => `/${name} can be absent`),
    ...(before.format !== undefined && before.format !== after.format ? ['has another format'] : []),
  ]
}

function operationsOf(document: JsonObject) {
  const paths = isObject(document.paths) ? document.paths : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = objectAt(item, method)
      return operation === null ? [] : [{ name: `${method.toUpperCase()} ${path}`, path, method, operation }]
    }),
  )
}

function bodyOf(operation: JsonObject, document: JsonObject): JsonObject | null {
  const body = objectAt(operation, 'requestBody')
  if (body === null) return null
  const { required, content } = resolve(body, document)
  const [media] = isObject(content) ? Object.values(content) : []
  return { required, schema: isObject(media) ? media.schema : undefined }
}

function answersOf(operation: JsonObject): string[] {
  return Object.keys(objectAt(operation, 'responses') ?? {})
}

function scopesAdded(before: JsonObject, after: JsonObject): string[] {
  const scopesOf = ({ security }: JsonObject) =>
    listed(security).flatMap(each => (isObject(each) ? Object.values(each).flat() : []))
  return scopesOf(after)
    .filter(scope => !scopesOf(before).includes(scope))
    .map(String)
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {}
}

function listed(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value]
}

function resolve(sent: unknown, document: JsonObject): JsonObject {
  if (!isObject(sent)) return {}
  if (typeof sent.$ref !== 'string') return sent
  const names = sent.$ref
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return resolve(objectAt(document, ...names) ?? {}, document)
}

function objectAt(node: unknown, ...names: string[]): JsonObject | null {
  const found = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), node)
  return isObject(found) ? found : null
}
