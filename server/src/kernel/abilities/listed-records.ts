import { endOfSuccess } from '../answers/envelope.ts'
import { bounds } from '../limits/index.ts'
import type { Outcome, Presenting, Request, WrittenOutcome } from '../operation.ts'
import { type JsonObject, TextParts } from '../schema/index.ts'

interface Listed<Entry> {
  /** A record in the form of answers, before redaction. */
  show(entry: Entry): JsonObject
  /** The page size; a row beyond it shows that there is a next page. */
  readonly limit?: number
  /** The position of a record in a cursor. */
  positionOf?(entry: Entry): JsonObject
  /** If set, the data is an object with the list as this member. */
  readonly member?: string
}

/**
 * One page of a list, built while its rows arrive from the database. When the page exceeds `bounds.large`, its records are written one by
 * one into the text of the answer, so that only one of them is in memory at a time.
 */
export class ListedRecords<Entry> {
  readonly #request: Request
  readonly #presenting: Presenting
  readonly #list: Required<Listed<Entry>>
  #records: JsonObject[] = []
  #count = 0
  #bytes = 0
  #last: JsonObject | null = null
  #isFollowed = false
  #written: TextParts | null = null
  #redacted: readonly string[] = []

  constructor(
    request: Request,
    presenting: Presenting,
    { show, limit = Number.POSITIVE_INFINITY, positionOf = () => ({}), member = '' }: Listed<Entry>,
  ) {
    this.#request = request
    this.#presenting = presenting
    this.#list = { show, limit, positionOf, member }
  }

  /** Adds the next record of the list; `bytes` is the size of its row. */
  add(entry: Entry, bytes: number): void {
    if (this.#count === this.#list.limit) {
      this.#isFollowed = true
      return
    }
    this.#count += 1
    this.#bytes += bytes
    if (this.#count === this.#list.limit) this.#last = this.#list.positionOf(entry)
    const shown = this.#list.show(entry)
    if (this.#written !== null) this.#write(this.#written, shown)
    else this.#records.push(shown)
    if (this.#bytes > bounds.large.most && this.#written === null) this.#beginToWrite()
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** The position of the last record, after which the next page begins; null on the last page. */
  get next(): JsonObject | null {
    return this.#isFollowed ? this.#last : null
  }

  /** The answer, with this `meta`. If the list is a member of the data, `beside` has the other members, at least one. */
  answer(meta: Readonly<Record<string, unknown>>, beside: JsonObject = {}): Outcome | WrittenOutcome {
    const { member } = this.#list
    if (this.#written === null) {
      const data = member === '' ? this.#records : { [member]: this.#records, ...beside }
      return { status: 200, data, meta }
    }
    const redacted = this.#redacted.length === 0 ? meta : { ...meta, redacted: this.#redacted }
    const end = member === '' ? '' : `,${JSON.stringify(beside).slice(1)}`
    this.#written.add(`]${end}${endOfSuccess(this.#conventions, redacted)}`)
    return { status: 200, written: this.#written.end() }
  }

  #beginToWrite(): void {
    this.#written = new TextParts()
    const { member } = this.#list
    const opening = member === '' ? '' : `{${JSON.stringify(member)}:`
    this.#written.add(`${this.#conventions.success.before}${opening}[`)
    for (const [index, shown] of this.#records.entries()) this.#write(this.#written, shown, index === 0)
    this.#records = []
  }

  #write(written: TextParts, shown: JsonObject, isFirst = false): void {
    const { operation, caller } = this.#request
    const { data, redacted } = operation.project([shown], caller, this.#presenting)
    const text = JSON.stringify(data).slice(1, -1)
    written.add(isFirst ? text : `,${text}`)
    this.#redacted = redacted
  }

  get #conventions() {
    return this.#request.operation.conventions
  }
}
