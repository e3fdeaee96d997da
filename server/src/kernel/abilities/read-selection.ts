import { bounds } from '../limits/index.ts'
import type { Request } from '../operation.ts'
import { type RecordState, type Resource, toRecord } from '../record/index.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { type Bind, binding, type Row, type TimeBudget } from '../sql/index.ts'
import { findFew, rareConditions, withWholeRanges } from './few-records.ts'
import type { ListCondition, ListOrder, ListSelection } from './list-selection.ts'
import type { ListedRecords } from './listed-records.ts'
import { isNoneOf, isOneOf } from './search-list.ts'
import {
  gatherText,
  type ListPosition,
  type SelectionWay,
  selectionStatement,
  walkText,
} from './selection-statements.ts'

/** A page of selected records that is asked for. */
export interface SelectedPage {
  readonly resource: Resource
  readonly request: Request
  readonly services: Services
  readonly selection: ListSelection
  /** The records that a search finds by their keys. They come before all others, and a position among them says so. */
  readonly keyed: readonly string[]
  /** The position in the cursor, after which the page begins; null for the first page. */
  readonly after: JsonObject | null
  /** The most rows: one more than the page shows. */
  readonly most: number
}

/** The end of a page. */
export interface SelectedEnd {
  /** The position after which the next page begins; null on the last page. */
  readonly next: JsonObject | null
  /** Whether the page ends before it is full, because `bounds.listScan` records were looked at. */
  readonly isTruncated: boolean
}

/** Conditions with a smaller frequency are tried before any record is looked at: addresses, keys and links. */
const usuallyRare = 3
/** How many records a walk looks at before other conditions are tried, as a part of those that it may look at. */
const firstPart = 1 / 10

/**
 * Fills a page of selected records, and returns its end. If an index finds at most `bounds.listScatteredScan` records by one of the conditions,
 * these are gathered, checked and sorted. Otherwise the page walks through the index of the order, and ends when it is full or when
 * `bounds.listScan` records were looked at, `bounds.listScatteredScan` in other orders than `createdAt`. A position is a value and an id, so whatever is written meanwhile, a record that keeps its value
 * of the order is shown exactly once.
 */
export async function fillSelected(page: ListedRecords<RecordState>, asked: SelectedPage): Promise<SelectedEnd> {
  const { keyed } = asked
  const others = { text: (bind: Bind) => isNoneOf(keyed, bind) }
  const conditions = [...withWholeRanges(asked.selection.conditions), ...(keyed.length === 0 ? [] : [others])]
  const selection = { ...asked.selection, conditions }
  const filling = new Filling(page, { ...asked, selection })
  if (asked.after === null || asked.after.keyed === true) {
    await filling.addKeyed(asked.selection)
    if (filling.isFull) return filling.end
  }
  const looks = inOrderOfTable(selection.order) ? bounds.listScan.most : bounds.listScatteredScan.most
  const rare = rareConditions(selection)
  const first = await filling.findFew(rare.filter(({ frequency = 0 }) => frequency < usuallyRare))
  if (first !== null) return filling.gather(first)
  const frequent = rare.filter(({ frequency = 0 }) => frequency >= usuallyRare)
  if (frequent.length > 0) {
    if ((await filling.walk(Math.ceil(looks * firstPart))) === 'ended') return filling.end
    const found = await filling.findFew(frequent)
    if (found !== null) return filling.gather(found)
  }
  if ((await filling.walk(looks)) === 'without order') return filling.gather(null)
  return filling.end
}

/** Whether records that follow each other in the order are mostly beside each other in the table. */
const inOrderOfTable = ({ value }: ListOrder) => value === 't.created_at'

/** A position, and whether it is among the records that are found by their keys. */
type ShownPosition = ListPosition & { readonly keyed?: true }

/** A page that is being filled, in one or more statements. */
class Filling {
  readonly #page: ListedRecords<RecordState>
  readonly #asked: SelectedPage
  /** Where the next statement goes on. */
  #after: ListPosition | null
  #looked = 0
  #taken = 0
  /** The position of the last record that the page shows. */
  #shown: ShownPosition | null = null
  #isAtEnd = false
  /** All statements of a page together have the time of one. */
  readonly #budget: TimeBudget

  constructor(page: ListedRecords<RecordState>, asked: SelectedPage) {
    this.#page = page
    this.#asked = asked
    this.#budget = { milliseconds: bounds.searchAnswer.most }
    this.#after = asked.after === null ? null : positionOf({ orderedBy: asked.after.value, id: asked.after.id })
  }

  /** Whether a record follows those that the page shows. */
  get isFull(): boolean {
    return this.#taken === this.#asked.most
  }

  get end(): SelectedEnd {
    if (this.isFull) return { next: { ...this.#shown }, isTruncated: false }
    return { next: this.#isAtEnd ? null : { ...this.#after }, isTruncated: !this.#isAtEnd }
  }

  /** Adds the selected records that are found by their keys, and begins anew with the others. */
  async addKeyed(selection: ListSelection): Promise<void> {
    const { resource, keyed } = this.#asked
    const after = this.#after
    const found = { text: (bind: Bind) => isOneOf(keyed, bind) }
    const chosen = { ...selection, conditions: [...selection.conditions, found] }
    const textOf = (bind: Bind) => gatherText(resource, chosen, { after, found, bind })
    if (keyed.length > 0) await this.#ask('gather', textOf, [this.#left], (row, bytes) => this.#take(row, bytes, true))
    this.#after = null
  }

  /** The first of these conditions that few records meet; null if many records meet each of them. */
  findFew(conditions: readonly ListCondition[]): Promise<ListCondition | null> {
    return findFew(this.#asked.resource, conditions, (way, textOf) => this.#ask(way, textOf, []))
  }

  /**
   * Adds the records behind the position that meet the conditions; `found` is the one that an index finds. Without it all records may have to
   * be read, on the connections of reports.
   */
  async gather(found: ListCondition | null): Promise<SelectedEnd> {
    const { resource, selection } = this.#asked
    const after = this.#after
    const way = found === null ? 'sort' : 'gather'
    const textOf = (bind: Bind) => gatherText(resource, selection, { after, found, bind })
    await this.#ask(way, textOf, [this.#left], (row, bytes) => this.#take(row, bytes))
    this.#isAtEnd = !this.isFull
    return this.end
  }

  /**
   * Walks on until so many records of the page were looked at. Resolves to `ended` if the page is full or the list has ended, and to
   * `without order` if the table of the order does not have every record: then nothing was looked at.
   */
  async walk(most: number): Promise<'ended' | 'stopped' | 'without order'> {
    const { resource, selection } = this.#asked
    const looks = most - this.#looked
    const after = this.#after
    let end: ListPosition | null = null
    let hasOrder = true
    await this.#ask(
      'walk',
      bind => walkText(resource, selection, { after, looks, bind }),
      [this.#left],
      (row, bytes) => {
        if (row.isEnd !== true) this.#take(row, bytes)
        else if (row.endId === null) hasOrder = false
        else end = positionOf({ ...row, id: row.endId ?? row.id })
      },
    )
    if (!hasOrder) return 'without order'
    this.#looked = most
    this.#after = end
    this.#isAtEnd = end === null && !this.isFull
    return this.isFull || this.#isAtEnd ? 'ended' : 'stopped'
  }

  #take(row: Row, bytes: number, isKeyed = false): void {
    this.#taken += 1
    if (!this.isFull) this.#shown = { ...positionOf(row), ...(isKeyed ? { keyed: true } : {}) }
    this.#page.add(toRecord(row), bytes)
  }

  get #left(): number {
    return this.#asked.most - this.#taken
  }

  async #ask(
    way: SelectionWay,
    textOf: (bind: Bind) => string,
    more: readonly unknown[],
    take?: (row: Row, bytes: number) => void,
  ): Promise<Row[]> {
    const { resource, request, services } = this.#asked
    const { caller, reader } = request
    const values: unknown[] = [caller.organization.id, caller.keysOf, ...more]
    const statement = selectionStatement(resource, way, textOf(binding(values)))
    if (way === 'sort') return services.database.report(statement, values, reader, take)
    return services.database.search(statement, values, reader, take, this.#budget)
  }
}

function positionOf({ orderedBy, id }: Row): ListPosition {
  return { value: typeof orderedBy === 'string' ? orderedBy : null, id: String(id) }
}
