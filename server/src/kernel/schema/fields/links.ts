import type { Issue } from '../../errors/index.ts'
import type { Field, Links } from '../field.ts'
import { isObject } from '../json.ts'
import { uuidSchema } from '../uuid.ts'

interface LinksOptions extends Omit<Links, 'anonymized'> {
  /** Component of one link in the OpenAPI document. */
  readonly component: string
  /** Response member that lists the ids, e.g. `companyIds`. */
  readonly idsMember: string
  /** Response member that lists `{<idMember>, isPrimary}`, which is also the request member. */
  readonly member: string
  readonly idMember: string
  readonly most: number
  /** Table of the linked records, where these can be anonymized: links to such say so. */
  readonly personsIn?: string
}

/**
 * An ordered list of references to records of another kind; the first is primary. In requests absent leaves it
 * unchanged, null and [] clear it (specification, "Deal company links"). A person who is anonymized stays linked, and
 * the link says so (contract section 6.1).
 */
export function orderedLinks(options: LinksOptions): Field<readonly string[]> {
  const { kind, table, ownerColumn, targetColumn, idsMember, member, idMember, most, personsIn, component } = options
  const anonymized = personsIn === undefined ? undefined : { table: personsIn, member: `${member}Anonymized` }
  return {
    links: { kind, table, ownerColumn, targetColumn, ...(anonymized && { anonymized }) },
    input: {
      type: ['array', 'null'],
      maxItems: most,
      items: { $ref: 'Reference' },
      documented: { uniqueItems: true },
      description: `Ordered references; the first is primary. null and [] clear the links.`,
      example: [{ externalId: 'A-1042' }],
    },
    output: {
      [idsMember]: { type: 'array', items: uuidSchema },
      [member]: {
        type: 'array',
        items: {
          component,
          type: 'object',
          required: [idMember, 'isPrimary', ...(anonymized ? ['anonymized'] : [])],
          properties: {
            [idMember]: uuidSchema,
            isPrimary: { type: 'boolean', example: true },
            ...(anonymized && { anonymized: anonymizedSchema }),
          },
          additionalProperties: false,
        },
      },
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

const anonymizedSchema = { type: 'boolean', example: false, description: 'Whether the person was anonymized.' }

/** The same literal reference twice in one list; what stands beside a reference does not matter. */
export function duplicateLiterals(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value)) return []
  const seen = new Set<string>()
  const issues: Issue[] = []
  for (const [index, item] of value.entries()) {
    if (!isObject(item)) continue
    const literal =
      typeof item.id === 'string' ? `id:${item.id.toLowerCase()}` : `externalId:${String(item.externalId)}`
    if (seen.has(literal)) {
      issues.push({ path: `${path}/${index}`, rule: 'unique', message: 'The same reference is given twice' })
    }
    seen.add(literal)
  }
  return issues
}
