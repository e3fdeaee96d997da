import type { Issue } from '../../errors/index.ts'
import type { Field, Links, ReferenceTarget } from '../field.ts'
import { byLink } from '../filter.ts'
import { exampleExternalId } from '../ids.ts'
import { isObject } from '../json.ts'
import { uuidSchema } from '../uuid.ts'

interface LinksOptions extends Omit<Links, 'kind' | 'anonymized'> {
  /** Component of one link in the OpenAPI document. */
  readonly component: string
  /** The kind of the linked records. If they can be anonymized, each link says whether its record is. */
  readonly to: ReferenceTarget
  /** Response member that lists the ids, e.g. `companyIds`. */
  readonly idsMember: string
  /** Member of requests and responses that lists `{<idMember>, isPrimary}`. */
  readonly member: string
  readonly idMember: string
  readonly most: number
}

/**
 * An ordered list of references to records of another kind; the first one is primary. A request that leaves it out
 * changes nothing; null and [] clear it (specification, "Deal company links"). An anonymized person stays linked, and
 * the link says so (contract section 6.1).
 */
export function orderedLinks(options: LinksOptions): Field<readonly string[]> {
  const { to, table, ownerColumn, targetColumn, idsMember, member, idMember, most, component } = options
  const anonymized = anonymizedMember(to, member)
  return {
    links: { kind: to.kind, table, ownerColumn, targetColumn, ...(anonymized && { anonymized }) },
    input: {
      type: ['array', 'null'],
      maxItems: most,
      items: { $ref: 'Reference' },
      documented: { uniqueItems: true },
      description: `Ordered references; the first is primary. null and [] clear the links.`,
      example: [{ externalId: exampleExternalId }],
    },
    output: {
      [idsMember]: { type: 'array', items: uuidSchema, description: `The ids of \`${member}\`, in the same order.` },
      [member]: {
        type: 'array',
        description: 'In order; the first is primary.',
        items: {
          component,
          type: 'object',
          required: [idMember, 'isPrimary', ...(anonymized ? ['anonymized'] : [])],
          properties: {
            [idMember]: { ...uuidSchema, description: `The ${to.kind}.` },
            isPrimary: { type: 'boolean', example: true, description: 'Whether it is the first.' },
            ...(anonymized && { anonymized: anonymizedSchema }),
          },
          additionalProperties: false,
        },
      },
    },
    filters: {
      [idMember]: byLink({ table, ownerColumn, targetColumn }, to.scopes.read, `Linked with this ${to.kind}`),
    },
    initial: [],
    merge: { listOf: () => ({ most, identify: String }) },
    inspect: duplicateLiterals,
    present(ids, record) {
      if (anonymized === undefined) {
        return { [idsMember]: ids, [member]: ids.map((id, index) => ({ [idMember]: id, isPrimary: index === 0 })) }
      }
      const gone = record[anonymized.member]
      const isGone = (id: string) => Array.isArray(gone) && gone.includes(id)
      return {
        [idsMember]: ids,
        [member]: ids.map((id, index) => ({ [idMember]: id, isPrimary: index === 0, anonymized: isGone(id) })),
      }
    },
  }
}

/** How to find out whether a referenced record was anonymized; undefined if its kind cannot be. */
export function anonymizedMember({ table, roles }: ReferenceTarget, member: string): Links['anonymized'] {
  return roles.anonymizedAt === undefined ? undefined : { table: table.name, member: `${member}Anonymized` }
}

const anonymizedSchema = { type: 'boolean', example: false, description: 'Whether the person was anonymized.' }

/** Issues for a reference that is in a list twice; other members of the items do not matter. */
export function duplicateLiterals(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value)) return []
  const seen = new Set<string>()
  return value.flatMap((item, index) => duplicateLiteral(item, `${path}/${index}`, seen))
}

/** An issue if this reference is in `seen`; adds it otherwise. */
export function duplicateLiteral(item: unknown, path: string, seen: Set<string>): Issue[] {
  if (!isObject(item)) return []
  const { id, externalId } = item
  const literal = typeof id === 'string' ? `id:${id.toLowerCase()}` : `externalId:${String(externalId)}`
  const isSeen = seen.has(literal)
  seen.add(literal)
  return isSeen ? [{ path, rule: 'unique', message: 'The same reference is given twice' }] : []
}

/** An issue for an item that is not a reference: it must have exactly one of `id` and `externalId`. */
export function withoutReference(item: unknown, path: string): Issue[] {
  if (!isObject(item) || 'id' in item !== 'externalId' in item) return []
  return [{ path, rule: 'oneOf', message: 'Exactly one of id, externalId is expected' }]
}
