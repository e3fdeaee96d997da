import type { Issue } from '../../errors/index.ts'
import type { Field, Links, ReferenceTarget } from '../field.ts'
import { optionalUuidSchema, uuidSchema } from '../uuid.ts'

interface LinkedIdsOptions extends Omit<Links, 'kind' | 'anonymized'> {
  readonly to: ReferenceTarget
  readonly most: number
  readonly description: string
}

/**
 * Ids of records of another kind, in order, each at most once (contract section 13). A request that leaves them out changes nothing; []
 * clears them. An unknown id is a 404.
 */
export function linkedIds({ to, most, description, ...links }: LinkedIdsOptions): Field<readonly string[]> {
  const ids = { type: 'array', items: uuidSchema }
  return {
    links: { kind: to.kind, ...links },
    input: { ...ids, maxItems: most, documented: { uniqueItems: true } },
    output: { '': ids },
    description,
    initial: [],
    inspect: doubledIds,
  }
}

/** The id of one record of another kind, or null. An unknown id is a 404. */
export function linkedId({ to, description }: Pick<LinkedIdsOptions, 'to' | 'description'>): Field<string | null> {
  return { column: 'uuid', refersTo: to.kind, input: optionalUuidSchema, description, initial: null }
}

function doubledIds(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value)) return []
  const ids = value.map(id => String(id).toLowerCase())
  const message = 'The same id is given twice'
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index ? [] : [{ path: `${path}/${index}`, rule: 'unique', message }],
  )
}
