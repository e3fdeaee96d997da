import { isAddress, isIndexed, visibleIn } from '../../kernel/index.ts'
import type { Bind, Row, Statement } from '../../kernel/sql/index.ts'
import {
  begins,
  candidates,
  inParts,
  isBehind,
  newestStage,
  type Position,
  pageText,
  ranks,
  type SearchedKind,
  type Stage,
  stageOf,
  whole,
} from './statement-parts.ts'

/** A found record. Where nothing was found there is one row, in which `kind` is null. */
export type FoundRow = Row & {
  readonly kind: string | null
  readonly id: string
  readonly updated_at: string
  readonly rank: number
  readonly record: Readonly<Record<string, unknown>>
  readonly truncated: boolean
}

/**
 * The records of all kinds in which everything stands that is looked for: as whole words, at the beginning of words, or
 * anywhere. $1 organization, $2 application, $3 most rows. One rank is looked for after the other, and only until the page is full.
 */
export function findStatement(kinds: readonly SearchedKind[], after: Position | null, bind: Bind): Statement {
  const behind = isBehind(after, bind)
  const isPassed = (rank: number) => after !== null && after.rank > rank
  const indexed = kinds.filter(({ terms }) => isIndexed(terms))
  const short = kinds.filter(kind => !indexed.includes(kind))
  const stages: Stage[] = []
  const found: Stage[] = []
  const add = (name: string, some: readonly SearchedKind[], select: (kind: SearchedKind) => string) => {
    if (some.length === 0) return
    const stage = stageOf(name, some.map(select))
    stages.push(stage)
    found.push(stage)
  }
  /** Holds as long as what was found with better ranks does not fill the page. */
  const isOpen = (rank: number) => {
    const counts = found.map(({ name }) => `(select count(*) from ${name} f where f.rank < ${rank} and (${behind}))`)
    return counts.length === 0 ? 'true' : `${counts.join(' + ')} < $3`
  }
  const visible = ({ resource }: SearchedKind) => visibleIn(resource)
  const reachable = kinds
    .filter(({ texts }) => texts.contactData)
    .map(({ resource }) => `'${resource.kind}'`)
    .join()

  const isForAddress = ({ terms, texts }: SearchedKind) => isAddress(terms, texts)
  if (!isPassed(ranks.exact) || kinds.some(isForAddress)) {
    add('exact', kinds, kind => candidates(kind.resource, String(ranks.exact), [...visible(kind), whole(kind, bind)]))
  }
  const open = isOpen(ranks.prefix)
  add('part', indexed, kind => {
    const rank = `case when ${begins(kind, bind)} then ${ranks.prefix} else ${ranks.substring} end`
    const others = [inParts(kind, bind), `not (${whole(kind, bind)})`, open]
    // A part of an address costs more the more records there are: nobody looks for one that is there as a whole.
    if (isForAddress(kind)) others.push(`not exists (select from exact e where e.kind in (${reachable}))`)
    return candidates(kind.resource, rank, [...visible(kind), ...others])
  })
  if (!isPassed(ranks.prefix)) {
    add('beginning', short, kind => {
      const others = [begins(kind, bind), `not (${whole(kind, bind)})`, open]
      return candidates(kind.resource, String(ranks.prefix), [...visible(kind), ...others])
    })
  }
  if (short.length > 0) {
    const stillOpen = isOpen(ranks.substring)
    stages.push(...short.map(({ resource }) => newestStage(resource, stillOpen)))
    add('middle', short, kind => {
      const others = [inParts(kind, bind), `not (${begins(kind, bind)})`, `not (${whole(kind, bind)})`]
      return candidates(kind.resource, String(ranks.substring), others, `newest_${kind.resource.kind} as t`)
    })
  }
  const resources = kinds.map(({ resource }) => resource)
  return { name: 'find_records', text: `-- name: find_records\n${pageText(stages, found, resources, behind)}` }
}
