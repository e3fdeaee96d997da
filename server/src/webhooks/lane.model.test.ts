import fc from 'fast-check'
import { expect, it } from 'vitest'
import { active, heldEvents, isUpdate, type LaneEvent, LaneState, type Sending } from './lane.rules.ts'
import { type CallOutcome, outcomeOfStatus, outcomeWithoutAnswer } from './outcome.rules.ts'
import { mostParked, mostParkedOfRecord, type ParkedEvent } from './parked-events.rules.ts'

const concurrency = 4
const ok = outcomeOfStatus(204, undefined, 0)

/** What the table of positions and that of parked events have: all that is left after a crash. */
interface Stored {
  readonly settledSeq: number
  readonly holes: Buffer
  readonly condition: LaneState<LaneEvent>['condition']
  readonly parked: ReadonlyMap<number, ParkedEvent>
}

/** A feed, a worker with a lane, a database and a receiver that notes what it takes. Each step checks what has to hold at any moment. */
class Installation {
  readonly #feed: readonly LaneEvent[]
  readonly #head: number
  readonly #records = new Map<string, LaneEvent[]>()
  #state: LaneState<LaneEvent>
  #underWay: Sending<LaneEvent>[] = []
  #stored: Stored = { settledSeq: 0, holes: Buffer.alloc(0), condition: active, parked: new Map() }
  /** Numbers that the receiver has taken, in this event or in a later one that stood for it. */
  readonly #taken = new Set<number>()
  /** Numbers that the receiver is not to have. */
  readonly #dropped = new Set<number>()
  #now = 0

  constructor(feed: readonly LaneEvent[]) {
    this.#feed = feed
    this.#head = feed.at(-1)?.seq ?? 0
    for (const event of feed)
      this.#records.set(event.resourceId, [...(this.#records.get(event.resourceId) ?? []), event])
    this.#state = this.#takenOver()
  }

  read(most: number): void {
    const wanted = this.#state.wanted(this.#now)
    if (wanted === null) return
    const fromSeq = this.#state.readSeq
    const lastSeq = Math.min(wanted.lastSeq, this.#head)
    const events = this.#feed.filter(({ seq }) => seq > fromSeq && seq <= lastSeq).slice(0, most)
    const toSeq = events.length === most ? (events.at(-1)?.seq ?? fromSeq) : Math.max(fromSeq, lastSeq)
    this.#state.accept({ fromSeq, toSeq, events }, this.#now)
    this.#check()
  }

  send(): void {
    const sending = this.#state.next(this.#now)
    if (sending === null) return
    expect(this.#underWay.map(({ resourceId }) => resourceId)).not.toContain(sending.resourceId)
    expect(sending.seqs).toEqual(sending.seqs.toSorted((one, other) => one - other))
    this.#underWay.push(sending)
    expect(this.#underWay.length).toBeLessThanOrEqual(this.#state.condition.state === 'active' ? concurrency : 1)
  }

  complete(place: number, outcome: CallOutcome): void {
    const sending = this.#ended(place)
    if (sending === undefined) return
    const isGivenUp = outcome.kind === 'refused' && sending.attempts >= 9
    if (outcome.kind === 'delivered') this.#receive(sending)
    if (isGivenUp) this.#drop(sending)
    this.#state.complete(sending, outcome, this.#now)
    this.#check()
  }

  /** It may not be told of the event, or the feed no longer has it. */
  leaveOut(place: number): void {
    const sending = this.#ended(place)
    if (sending === undefined) return
    this.#drop(sending)
    if (sending.isParked) this.#state.giveUp(sending, this.#now)
    else this.#state.skip(sending, this.#now)
    this.#check()
  }

  putBack(place: number): void {
    const sending = this.#ended(place)
    if (sending !== undefined) this.#state.putBack(sending)
    this.#check()
  }

  settle(succeeds: boolean): void {
    const { condition, settledSeq, parked } = this.#state
    const changes = parked.takeChanges()
    if (!succeeds) return parked.giveBack(changes)
    const holes = this.#state.holes()
    expect(settledSeq).toBeGreaterThanOrEqual(this.#stored.settledSeq)
    expect(holes.length).toBeLessThanOrEqual(64)
    const rows = new Map(this.#stored.parked)
    for (const [seq, event] of changes) {
      if (event === null) rows.delete(seq)
      else rows.set(seq, event)
    }
    this.#stored = { settledSeq, holes, condition, parked: rows }
    this.#checkStored()
  }

  /** Another worker takes over what is stored. The receiver has taken some of the calls that nobody has heard the end of. */
  crash(received: number, isResumed: boolean): void {
    for (const [index, sending] of this.#underWay.entries()) if ((received >> index) & 1) this.#receive(sending)
    this.#underWay = []
    if (isResumed && this.#stored.condition.state === 'paused') this.#stored = { ...this.#stored, condition: active }
    this.#state = this.#takenOver()
    this.#check()
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds
  }

  /** The receiver is well from now on, and nobody crashes: everything that is left is delivered. */
  finish(): void {
    if (this.#state.condition.state === 'paused') {
      this.settle(true)
      this.crash(0, true)
    }
    for (let turn = 0; turn < 20_000 && !this.#isIdle; turn += 1) {
      this.read(200)
      this.send()
      if (this.#underWay.length > 0) this.complete(0, ok)
      else this.pass(100_000_000)
    }
    this.settle(true)
    expect([this.#stored.settledSeq, this.#stored.holes.length, this.#stored.parked.size]).toEqual([this.#head, 0, 0])
    expect(this.#feed.filter(({ seq }) => !this.#taken.has(seq) && !this.#dropped.has(seq))).toEqual([])
  }

  get #isIdle(): boolean {
    return this.#state.settledSeq === this.#head && this.#state.parked.count === 0 && this.#underWay.length === 0
  }

  #takenOver(): LaneState<LaneEvent> {
    const { settledSeq, holes, condition, parked } = this.#stored
    return new LaneState<LaneEvent>(
      { settledSeq, holes, condition, parked: [...parked.values()], concurrency },
      () => 0.5,
    )
  }

  #ended(place: number): Sending<LaneEvent> | undefined {
    return this.#underWay.splice(place % Math.max(1, this.#underWay.length), 1)[0]
  }

  #receive({ seqs, resourceId }: Sending<LaneEvent>): void {
    const fresh = seqs.filter(seq => !this.#taken.has(seq) && !this.#dropped.has(seq))
    const ofRecord = this.#records.get(resourceId) ?? []
    const events = ofRecord.filter(({ seq }) => seqs.includes(seq))
    if (seqs.length > 1) expect(events.every(isUpdate)).toBe(true)
    // Nothing else of the record lies between those that were merged.
    expect(ofRecord.slice(ofRecord.findIndex(({ seq }) => seq === seqs[0])).slice(0, seqs.length)).toEqual(events)
    const [first] = fresh
    if (first !== undefined) {
      const missing = ofRecord.filter(({ seq }) => seq < first && !this.#taken.has(seq) && !this.#dropped.has(seq))
      const later = ofRecord.filter(({ seq }) => seq > first && this.#taken.has(seq))
      expect({ first, missing, later }).toEqual({ first, missing: [], later: [] })
    }
    for (const seq of seqs) this.#taken.add(seq)
  }

  #drop({ seqs }: Sending<LaneEvent>): void {
    for (const seq of seqs) if (!this.#taken.has(seq)) this.#dropped.add(seq)
  }

  #check(): void {
    const { held, flying, parked, settledSeq } = this.#state
    expect(held).toBeLessThanOrEqual(heldEvents)
    expect(flying).toBe(this.#underWay.length)
    expect(parked.count).toBeLessThanOrEqual(mostParked)
    expect(settledSeq).toBeGreaterThanOrEqual(this.#stored.settledSeq)
  }

  /** What is stored as done was taken, is parked, or is not for the receiver. */
  #checkStored(): void {
    const { settledSeq, holes, parked } = this.#stored
    const waiting = new Set([...parked.values()].flatMap(({ seq, mergedSeqs }) => [seq, ...mergedSeqs]))
    const isDone = (seq: number) => {
      const place = seq - settledSeq - 1
      return place < 0 || (((holes[place >> 3] ?? 0) >> (place & 7)) & 1) === 1
    }
    const lost = this.#feed.filter(
      ({ seq }) => isDone(seq) && !this.#taken.has(seq) && !this.#dropped.has(seq) && !waiting.has(seq),
    )
    expect(lost).toEqual([])
    const ofRecords = new Map<string, number>()
    for (const { resourceId } of parked.values()) ofRecords.set(resourceId, (ofRecords.get(resourceId) ?? 0) + 1)
    expect(Math.max(0, ...ofRecords.values())).toBeLessThanOrEqual(mostParkedOfRecord)
  }
}

type Step = fc.Command<object, Installation>

const step = (name: string, run: (real: Installation) => void): Step => ({
  check: () => true,
  run: (_, real) => run(real),
  toString: () => name,
})

const places = fc.nat(3)
const outcomes: fc.Arbitrary<CallOutcome> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(ok) },
  { weight: 5, arbitrary: fc.constantFrom(400, 404, 500).map(status => outcomeOfStatus(status, undefined, 0)) },
  { weight: 2, arbitrary: fc.constantFrom(429, 503).map(status => outcomeOfStatus(status, '60', 0)) },
  { weight: 1, arbitrary: fc.constant(outcomeWithoutAnswer('timeout')) },
  { weight: 1, arbitrary: fc.constant(outcomeOfStatus(410, undefined, 0)) },
)

const steps: fc.Arbitrary<Step>[] = [
  fc.integer({ min: 1, max: 200 }).map(most => step(`read ${most}`, real => real.read(most))),
  fc.constant(step('send', real => real.send())),
  fc.constant(step('send', real => real.send())),
  fc
    .tuple(places, outcomes)
    .map(([place, outcome]) => step(`complete ${place} ${outcome.status}`, real => real.complete(place, outcome))),
  fc
    .tuple(places, outcomes)
    .map(([place, outcome]) => step(`complete ${place} ${outcome.status}`, real => real.complete(place, outcome))),
  fc.constant(step('settle', real => real.settle(true))),
  fc.constant(step('fail to settle', real => real.settle(false))),
  fc
    .tuple(fc.nat(15), fc.boolean())
    .map(([received, resumed]) => step(`crash ${received} ${resumed}`, real => real.crash(received, resumed))),
  fc.constantFrom(0, 5000, 400_000, 8_000_000, 100_000_000).map(time => step(`pass ${time}`, real => real.pass(time))),
  fc.constantFrom('leaveOut' as const, 'putBack' as const).map(what => step(what, real => real[what](0))),
]

/** Few records, so that events of one wait for each other; some numbers are those of events that nobody wants. */
const feeds = fc
  .array(
    fc.record({
      record: fc.nat(6),
      kind: fc.constantFrom(
        'contact.created',
        'contact.updated',
        'contact.updated',
        'contact.updated',
        'contact.deleted',
      ),
      gap: fc.oneof({ weight: 9, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(200) }),
    }),
    { minLength: 1, maxLength: 300 },
  )
  .map(written => {
    let seq = 0
    return written.map(({ record, kind, gap }): LaneEvent => {
      seq += 1 + gap
      return { seq, kind, resourceId: `r${record}` }
    })
  })

it('whatever a receiver answers and whenever its worker crashes, a lane loses nothing, keeps the order and its bounds, and never goes back', () => {
  fc.assert(
    fc.property(feeds, fc.commands(steps, { maxCommands: 300, size: '+2' }), (feed, commands) => {
      const real = new Installation(feed)
      fc.modelRun(() => ({ model: {}, real }), commands)
      real.finish()
    }),
    { numRuns: Number(process.env.LANE_RUNS ?? 300) },
  )
})
