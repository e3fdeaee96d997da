import type { ChangeRow } from '../crm/changes/index.ts'
import { meetConditions, readRecordTexts, type Services, unattended } from '../kernel/index.ts'
import type { ShownRecord } from './event-body.ts'
import type { LaneEvent } from './lane.rules.ts'
import { RecordBatches } from './record-batches.ts'
import type { Subscription } from './subscription.ts'

type Needed = Pick<Services, 'database' | 'clock' | 'resources'>

/** For which call a record is read, and what may be called next. */
export interface RecordsAsked {
  readonly subscription: Subscription
  /** The rights of this moment. */
  readonly scopes: ReadonlySet<string>
  /** The events up to this number are known, so that what is read now is not older than they are. */
  readonly readSeq: number
  readonly waiting: readonly LaneEvent[]
}

/** How many records one statement judges. */
const mostJudged = 100

/**
 * The records that the calls of a lane need. Each is read together with those of the next calls, at most a second before its own call and
 * after its event: a filter that finds little costs a statement for a hundred records, and a full body a part of one.
 */
export class LaneRecords {
  readonly #services: Needed
  readonly #judged = new RecordBatches<boolean>()
  readonly #shown = new RecordBatches<ShownRecord>()
  #subscription: Subscription | null = null
  #scopes = ''

  constructor(services: Needed) {
    this.#services = services
  }

  /** Filters judge the record as it is now. If it is gone they let the event pass: the receiver may have a copy. */
  async isChosen({ seq, resource_id: id }: ChangeRow, asked: RecordsAsked): Promise<boolean> {
    this.#notice(asked)
    const { records, organization } = asked.subscription
    if (records === null) return true
    const others = [...new Set(asked.waiting.map(({ resourceId }) => resourceId))].slice(0, mostJudged)
    const reading = { organization, reader: unattended(organization.id) }
    const isMet = await this.#judged.take(
      { id, seq: Number(seq), readSeq: asked.readSeq, others, now: this.#services.clock.now() },
      ids => meetConditions(records.resource, ids, records.conditions, reading, this.#services),
    )
    return isMet ?? true
  }

  /** The record as the webhook may read it. */
  async shown({ seq, resource_type: type, resource_id: id }: ChangeRow, asked: RecordsAsked): Promise<ShownRecord> {
    this.#notice(asked)
    const resource = this.#services.resources.find(each => each.kind === type && each.isSynchronized)
    const none = { text: null, redacted: [] }
    if (resource === undefined) return none
    const { organization, applicationId, concurrency, records } = asked.subscription
    const nextOnes = asked.waiting.filter(
      ({ kinds, resourceId }) =>
        kinds[0]?.startsWith(`${type}.`) && (records === null || this.#judged.known(resourceId) === true),
    )
    const others = [...new Set(nextOnes.map(({ resourceId }) => resourceId))].slice(0, concurrency)
    const caller = { organization, keysOf: applicationId, scopes: asked.scopes }
    const reading = { caller, reader: unattended(organization.id) }
    const shown = await this.#shown.take(
      { id, seq: Number(seq), readSeq: asked.readSeq, others, now: this.#services.clock.now() },
      async ids => {
        const { texts, redacted } = await readRecordTexts(resource, ids, reading, this.#services)
        return new Map([...texts].map(([found, text]) => [found, { text, redacted }]))
      },
    )
    return shown ?? none
  }

  /** What the records that are kept take in memory, without those that have become too old. */
  get bytes(): number {
    return this.#shown.kept(this.#services.clock.now()).reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
  }

  /** With other rights or settings, nothing that was read before counts. */
  #notice({ subscription, scopes }: RecordsAsked): void {
    const names = [...scopes].join(' ')
    if (subscription === this.#subscription && names === this.#scopes) return
    this.#subscription = subscription
    this.#scopes = names
    this.#judged.clear()
    this.#shown.clear()
  }
}
