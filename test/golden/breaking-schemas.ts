import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { lessened, listed, narrowed } from './breaking-keywords.ts'
import { withoutProse } from './released.ts'

/** Two schemas of two documents, member by member, of what clients send or of what they read. */
export class SchemaComparison {
  readonly #side: 'request' | 'answer'
  readonly #before: JsonObject
  readonly #after: JsonObject
  /** Pairs that are being compared: schemas may refer to themselves. */
  readonly #open = new Set<string>()

  constructor(side: 'request' | 'answer', before: JsonObject, after: JsonObject) {
    this.#side = side
    this.#before = before
    this.#after = after
  }

  /** What is refused now, or promised no more, each behind its JSON pointer, which is empty for the whole. */
  changes(sentBefore: unknown, sentAfter: unknown, at = ''): string[] {
    if (!isObject(sentBefore)) return []
    if (!isObject(sentAfter)) return [tell(at, 'is gone')]
    const pair = `${String(sentBefore.$ref)} ${String(sentAfter.$ref)}`
    if (typeof sentBefore.$ref === 'string' && this.#open.has(pair)) return []
    this.#open.add(pair)
    const before = resolve(sentBefore, this.#before)
    const after = resolve(sentAfter, this.#after)
    const found = [
      ...(this.#side === 'request' ? narrowed(before, after) : lessened(before, after)).map(text => tell(at, text)),
      ...this.#required(before, after).map(text => `${at}${text}`),
      ...Object.entries(propertiesOf(before)).flatMap(([name, schema]) =>
        this.changes(schema, propertiesOf(after)[name], `${at}/${name}`),
      ),
      ...['items', 'additionalProperties'].flatMap(word => this.#inside(before[word], after[word], `${at}/*`)),
      ...['anyOf', 'oneOf'].flatMap(word => this.#alternatives(word, before, after, at)),
      ...this.#conditions(before, after, at),
    ]
    this.#open.delete(pair)
    return found
  }

  #required({ required: before }: JsonObject, { required: after }: JsonObject): string[] {
    const without = (names: unknown, others: unknown) => listed(names).filter(name => !listed(others).includes(name))
    if (this.#side === 'request') return without(after, before).map(name => `/${name} is required`)
    return without(before, after).map(name => `/${name} can be absent`)
  }

  #inside(before: unknown, after: unknown, at: string): string[] {
    return isObject(before) && isObject(after) ? this.changes(before, after, at) : []
  }

  /** Each alternative of a request is still taken; each of an answer was there before. */
  #alternatives(word: string, { [word]: before }: JsonObject, { [word]: after }: JsonObject, at: string): string[] {
    const isRequest = this.#side === 'request'
    if (!Array.isArray(before) || !Array.isArray(after)) {
      return Array.isArray(isRequest ? after : before) ? [tell(at, `has another ${word}`)] : []
    }
    if (before.length === after.length) return before.flatMap((each, index) => this.changes(each, after[index], at))
    const isKept = (one: unknown, other: unknown) => this.changes(one, other, at).length === 0
    const areKept = isRequest
      ? before.every(one => after.some(other => isKept(one, other)))
      : after.every(other => before.some(one => isKept(one, other)))
    return areKept ? [] : [tell(at, `has another ${word}`)]
  }

  /** If schemas cannot be compared member by member, a request must not require anything new, and an answer must keep everything. */
  #conditions(before: JsonObject, after: JsonObject, at: string): string[] {
    const [asked, kept] = this.#side === 'request' ? [after, before] : [before, after]
    return conditions
      .filter(word => asked[word] !== undefined)
      .filter(word => !isDeepStrictEqual(withoutProse(asked[word]), withoutProse(kept[word])))
      .map(word => tell(at, `has another ${word}`))
  }
}

const conditions = [
  ...['allOf', 'not', 'contains', 'minContains', 'maxContains', 'uniqueItems'],
  ...['propertyNames', 'patternProperties', 'dependentSchemas', 'dependentRequired'],
]

function tell(at: string, text: string): string {
  return at === '' ? text : `${at} ${text}`
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {}
}

/** What a node refers to, with what stands beside the reference. */
export function resolve(sent: unknown, document: JsonObject): JsonObject {
  if (!isObject(sent)) return {}
  const { $ref, ...beside } = sent
  if (typeof $ref !== 'string') return sent
  const names = $ref.split('/').slice(1)
  const found = names.reduce<unknown>((at, name) => (isObject(at) ? at[unescaped(name)] : undefined), document)
  if (!isObject(found)) throw new Error(`the document has no ${$ref}`)
  return { ...resolve(found, document), ...beside }
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}
