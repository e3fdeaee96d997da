import {
  beginsWord,
  contains,
  containsParts,
  hasParts,
  isAddress,
  isIndexed,
  isWhole,
  mayBeWhole,
  type NewestTexts,
  opensWord,
  outerTerms,
  type RecordWithKey,
  standsIn,
} from '../../kernel/index.ts'
import type { Bind, Row, Statement } from '../../kernel/sql/index.ts'
import {
  alsoChecked,
  askFor,
  beginsIn,
  isWholeIn,
  newestOf,
  partsStandIn,
  type SearchCondition,
  type SearchPlan,
  textsForBeginnings,
} from './frequency.ts'
import { indexedStage, kindsIn, type Source, type Wanted } from './indexed-stage.ts'
import {
  begins,
  candidates,
  inParts,
  isBehind,
  isNotKeyed,
  keyedStage,
  newestStage,
  type Position,
  pageText,
  ranks,
  type SearchedKind,
  type SearchStage,
  stageOf,
  whole,
} from './statement-parts.ts'

/** A hit. If there are no hits, the page has one row in which `kind` is null. */
export type FoundRow = Row & {
  readonly kind: string | null
  readonly id: string
  readonly updated_at: string
  readonly rank: number
  readonly record: Readonly<Record<string, unknown>>
  /** The parts of stages for which an index has more matches than the part has taken. */
  readonly crowded: readonly string[]
  readonly truncated: boolean
}

/**
 * The statement that finds records of all kinds which contain every term of a search: as a whole word, as the beginning of a word, or
 * anywhere. $1 organization, $2 application, $3 most rows. It searches rank by rank, and stops when the page is full. `newest` are texts of
 * the newest records, which show which terms are frequent; without them every term counts as rare. Records that are `keyed` come first.
 */
export function findStatement(
  kinds: readonly SearchedKind[],
  source: Source,
  newest: readonly NewestTexts[],
  after: Position | null,
  keyed: readonly RecordWithKey[],
  bind: Bind,
): Statement {
  const isNew = keyed.length === 0 ? 'true' : isNotKeyed
  const behind = `(${isBehind(after, bind)}) and ${isNew}`
  const isPassed = (rank: number) => after !== null && Math.floor(after.rank) > rank
  const indexed = kinds.filter(({ terms }) => isIndexed(terms))
  const short = kinds.filter(kind => !indexed.includes(kind))
  const stages: SearchStage[] = []
  const found: SearchStage[] = []
  const add = (name: string, some: readonly SearchedKind[], want: Want) => {
    const searched = kindsIn(source, name, some)
    if (searched.length === 0) return
    const stage = indexedStage(name, want(searched, newest, bind), source, bind)
    stages.push(stage)
    found.push(stage)
  }
  /** SQL that is true as long as the records with better ranks do not fill the page. */
  const isOpen = (rank: number) => {
    const counts = found.map(({ name }) => `(select count(*) from ${name} f where f.rank < ${rank} and (${behind}))`)
    return counts.length === 0 ? 'true' : `${counts.join(' + ')} < $3`
  }

  if (keyed.length > 0) {
    const stage = keyedStage(kinds, keyed, bind)
    stages.push(stage)
    found.push(stage)
  }
  if (!isPassed(ranks.exact) || kinds.some(isForAddress)) add('exact', kinds, exact)
  const open = isOpen(ranks.prefix)
  add('part', indexed, anywhere(open))
  if (!isPassed(ranks.prefix)) add('beginning', short, atBeginnings(open))
  if (short.length > 0 && source === 'indexes') {
    const stillOpen = isOpen(ranks.substring)
    const middle = inTheMiddle(short, newest, bind)
    stages.push(...short.map(({ resource }) => newestStage(resource, stillOpen)), middle)
    found.push(middle)
  }
  const resources = kinds.map(({ resource }) => resource)
  const name = source === 'indexes' ? 'find_records' : 'find_among_newest_records'
  return { name, text: `-- name: ${name}\n${pageText(stages, found, resources, behind)}` }
}

/** Returns the conditions of a stage for each of these kinds. */
type Want = (kinds: readonly SearchedKind[], newest: readonly NewestTexts[], bind: Bind) => Wanted[]

function exact(kinds: readonly SearchedKind[], newest: readonly NewestTexts[], bind: Bind): Wanted[] {
  // An address is searched as typed. Dividing it at its punctuation, to bound the search for a part of an address too, made every search
  // for a whole address slower by a third.
  const isAnAddress = kinds.some(isForAddress)
  return kinds.map(kind => {
    const { terms, texts } = kind
    const conditions = terms.flatMap(term => {
      const text = isWhole(term, texts, bind)
      const quick = mayBeWhole(term, texts, bind)
      const written = { text, quick, isIndexed: isAnAddress, holds: isWholeIn(term, texts) }
      return isAnAddress
        ? [written]
        : andAsWritten({ ...written, text: hasParts(term, texts, bind), isIndexed: true }, written)
    })
    return { kind, rank: String(ranks.exact), asked: askFor(conditions, newestOf(newest, kind)), gates: [] }
  })
}

function anywhere(open: string): Want {
  return (kinds, newest, bind) => {
    const reachable = kinds.filter(({ texts }) => texts.contactData).map(({ resource }) => `'${resource.kind}'`)
    // The cost of a search for a part of an address grows with the number of records. So it is skipped if the whole address was found.
    const isAnAddress = kinds.some(isForAddress)
    const unlessWhole = `not exists (select from exact e where e.kind in (${reachable.join()}))`
    return kinds.map(kind => {
      const { terms, texts } = kind
      const opens = terms.map(term => opensWord(term, texts, bind)).join(' and ')
      const rank = `case when ${opens} then ${ranks.prefix} else ${ranks.substring} end`
      const conditions = outerTerms(terms).flatMap(term => {
        const written = {
          text: contains(term, texts, bind),
          isIndexed: isIndexed([term]),
          holds: standsIn(term, texts),
        }
        if (isAnAddress) return [written]
        const text = containsParts(term, texts, bind)
        return andAsWritten({ ...written, text, holds: partsStandIn(term, texts) }, { ...written, isIndexed: false })
      })
      const asked = unlessAsWhole(askFor(conditions, newestOf(newest, kind)), kind, bind)
      return { kind, rank, asked, gates: isForAddress(kind) ? [open, unlessWhole] : [open] }
    })
  }
}

function atBeginnings(open: string): Want {
  return (kinds, newest, bind) =>
    kinds.map(kind => {
      const { terms, texts } = askedForBeginnings(kind, newest)
      const conditions = terms.map(term => ({
        text: beginsWord(term, texts, bind),
        isIndexed: true,
        holds: beginsIn(term, texts),
      }))
      const asked = unlessAsWhole(askFor(conditions, newestOf(newest, kind)), kind, bind)
      return { kind, rank: String(ranks.prefix), asked, gates: [open] }
    })
}

/**
 * The conditions for a term with punctuation, such as `anna-maria`. Indexes ignore punctuation, so the index is searched for the parts, and
 * the records that it returns are checked for the whole term. A term without punctuation needs one condition.
 */
const andAsWritten = (listed: SearchCondition, written: SearchCondition) =>
  listed.text === written.text ? [{ ...written, isIndexed: listed.isIndexed }] : [listed, written]

const askedForBeginnings = (kind: SearchedKind, newest: readonly NewestTexts[]) => ({
  ...kind,
  texts: textsForBeginnings(kind, newestOf(newest, kind)),
})

/**
 * Excludes records that have the term as a whole word: they have a better rank. It is evaluated only if those records do not fill a page.
 */
function unlessAsWhole(asked: SearchPlan, kind: SearchedKind, bind: Bind): SearchPlan {
  return alsoChecked(asked, `not (${whole(kind, bind)})`)
}

/** The stage for terms that are too short for any index. It scans the newest records, for which each kind has a stage. */
function inTheMiddle(kinds: readonly SearchedKind[], newest: readonly NewestTexts[], bind: Bind): SearchStage {
  const selects = kinds.map(kind => {
    const begun = begins(askedForBeginnings(kind, newest), bind)
    const conditions = [inParts(kind, bind), `not (${begun})`, `not (${whole(kind, bind)})`]
    return candidates(kind, String(ranks.substring), conditions, `newest_${kind.resource.kind}`, bind)
  })
  return stageOf('middle', selects)
}

function isForAddress({ terms, texts }: SearchedKind): boolean {
  return isAddress(terms, texts)
}
