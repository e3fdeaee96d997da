import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Kind } from '../world.ts'

/** What a list can tell of a record at some time. */
export interface State {
  readonly id: string
  /** The record as answers show it. */
  readonly data: JsonObject
  /** The ids of the linked records: the companies of a contact, or the contacts of a company. */
  readonly links: readonly string[]
}

interface Stage {
  /** null: there is no such record. */
  readonly state: State | null
  /** When the request was sent that made it. */
  readonly sent: number
  /** When its answer had arrived. */
  readonly settled: number
}

/**
 * The states that records had, one after the other. When a state began is known from two moments: its request was sent before, and the
 * answer came after. All moments are on one clock that counts.
 */
export class History {
  readonly #records = new Map<string, { readonly kind: Kind; readonly stages: Stage[] }>()
  #gone: string[] = []
  #moment = 0

  now(): number {
    this.#moment += 1
    return this.#moment
  }

  /** Enters the state that a request made, which was sent at that moment and has been answered now. */
  enter(kind: Kind, id: string, state: State | null, sent: number): void {
    const absent: Stage = { state: null, sent: 0, settled: 0 }
    const { stages } = this.#records.get(id) ?? { stages: [absent] }
    this.#records.set(id, { kind, stages })
    if (!isDeepStrictEqual(stages.at(-1)?.state, state)) stages.push({ state, sent, settled: this.now() })
  }

  kindOf(id: string): Kind | null {
    return this.#records.get(id)?.kind ?? null
  }

  current(id: string): State | null {
    return this.#records.get(id)?.stages.at(-1)?.state ?? null
  }

  /** The records of a kind that are there now. */
  all(kind: Kind): State[] {
    return [...this.#records.values()].flatMap(record =>
      record.kind === kind ? (record.stages.at(-1)?.state ?? []) : [],
    )
  }

  /** Ids of contacts and companies that were removed lately. */
  get gone(): readonly string[] {
    return this.#gone
  }

  /** The states that a record may have had at some moment from the one to the other, the earliest first. */
  states(id: string, from: number, to: number): (State | null)[] {
    const { stages } = this.#records.get(id) ?? { stages: [] }
    return stages
      .filter((stage, index) => stage.sent <= to && (stages[index + 1]?.settled ?? to) >= from)
      .map(({ state }) => state)
  }

  /** Ids of the records of a kind of which there may have been a state since that moment. */
  *ids(kind: Kind, from: number): Iterable<string> {
    for (const [id, { kind: each, stages }] of this.#records) {
      const last = stages.at(-1)
      if (each === kind && last !== undefined && (last.state !== null || last.settled >= from)) yield id
    }
  }

  /** Forgets states that ended before that moment: nobody asks for them again. */
  forget(before: number): void {
    for (const [id, { kind, stages }] of this.#records) {
      const first = stages.findLastIndex(({ settled }) => settled < before)
      if (first > 0) stages.splice(0, first)
      if (stages.length > 1 || stages[0]?.state !== null) continue
      this.#records.delete(id)
      if (kind === 'contact' || kind === 'company') this.#gone = [...this.#gone.slice(-20), id]
    }
  }
}
