import type { Issue } from '../../errors/index.ts'
import type { Field, Links } from '../field.ts'
import { canonicalJson, isObject } from '../json.ts'
import { uuidSchema } from '../uuid.ts'

interface LinksOptions extends Links {
  /** Response member that lists the ids, e.g. `companyIds`. */
  readonly idsMember: string
  /** Response member that lists `{<idMember>, isPrimary}`, which is also the request member. */
  readonly member: string
  readonly idMember: string
  readonly most: number
}

/**
 * An ordered list of references to records of another kind; the first is primary. In requests absent leaves it
 * unchanged, null and [] clear it (specification, "Deal company links").
 */
export function orderedLinks(options: LinksOptions): Field<readonly string[]> {
  const { kind, table, ownerColumn, targetColumn, idsMember, member, idMember, most } = options
  return {
    links: { kind, table, ownerColumn, targetColumn },
    input: {
      type: ['array', 'null'],
      maxItems: most,
      items: { $ref: 'Reference' },
      description: `Ordered references; the first is primary. null and [] clear the links.`,
      example: [{ externalId: 'A-1042' }],
    },
    output: {
      [idsMember]: { type: 'array', items: uuidSchema },
      [member]: {
        type: 'array',
        items: {
          type: 'object',
          required: [idMember, 'isPrimary'],
          properties: { [idMember]: uuidSchema, isPrimary: { type: 'boolean', example: true } },
          additionalProperties: false,
        },
      },
    },
    initial: [],
    inspect: duplicateLiterals,
    present: ids => ({
      [idsMember]: ids,
      [member]: ids.map((id, index) => ({ [idMember]: id, isPrimary: index === 0 })),
    }),
  }
}

/** The same literal reference twice in one list. */
export function duplicateLiterals(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value)) return []
  const seen = new Set<string>()
  const issues: Issue[] = []
  for (const [index, item] of value.entries()) {
    if (!isObject(item)) continue
    const literal = typeof item.id === 'string' ? `id:${item.id.toLowerCase()}` : canonicalJson(item)
    if (seen.has(literal)) {
      issues.push({ path: `${path}/${index}`, rule: 'unique', message: 'The same reference is given twice' })
    }
    seen.add(literal)
  }
  return issues
}
