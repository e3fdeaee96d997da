import fc from 'fast-check'
import { expect, it } from 'vitest'
import { heldEvents, type LaneEvent, LaneState, type Sending } from './lane.rules.ts'
import { active } from './lane-condition.rules.ts'
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
  /** What is to be sent of each record, in order: the number of the event and the kind of the message. */
  readonly #messages = new Map<string, string[]>()
  #state: LaneState<LaneEvent>
  #underWay: Sending<LaneEvent>[] = []
  #stored: Stored = { settledSeq: 0, holes: Buffer.alloc(0), condition: active, parked: new Map() }
  /** Messages that the receiver has taken, by themselves or in a later one that stood for them. */
  readonly #taken = new Set<string>()
  /** Messages that the receiver is not to have. */
  readonly #dropped = new Set<string>()
  #now = 0

  constructor(feed: readonly LaneEvent[]) {
    this.#feed = feed
    this.#head = feed.at(-1)?.seq ?? 0
    for (const event of feed)
      this.#messages.set(event.resourceId, [...(this.#messages.get(event.resourceId) ?? []), ...messagesOf(event)])
    this.#state = this.#takenOver()
  }

  read(most: number): void {
    const room = this.#state.room(this.#now)
    if (room === null) return
    const fromSeq = this.#state.readSeq
    const lastSeq = Math.min(room.lastSeq, this.#head)
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
    if (isGivenUp) this.#drop({ ...sending, kinds: sending.kinds.slice(0, 1) })
    this.#state.complete(sending, outcome, this.#now)
    this.#check()
  }

  /** It may not be told of the event, or the feed no longer has it. */
  leaveOut(place: number): void {
    const sending = this.#ended(place)
    if (sending === undefined) return
    this.#drop(sending)
    if (sending.isParked) this.#state.giveUp(sending, this.#now)
    else this.#state.omit(sending, this.#now)
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
    expect(this.#feed.flatMap(messagesOf).filter(message => !this.#isOver(message))).toEqual([])
  }

  #isOver(message: string): boolean {
    return this.#taken.has(message) || this.#dropped.has(message)
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

  #receive(sending: Sending<LaneEvent>): void {
    const { seqs, resourceId, kinds } = sending
    const ofRecord = this.#messages.get(resourceId) ?? []
    const sent = this.#messagesIn({ seqs, kinds: kinds.slice(0, 1) })
    if (seqs.length > 1) expect(sent.every(message => message.endsWith('.updated'))).toBe(true)
    // Nothing else of the record lies between those that were merged.
    const place = ofRecord.indexOf(sent[0] ?? '')
    expect(ofRecord.slice(place, place + sent.length)).toEqual(sent)
    const [first] = sent.filter(message => !this.#isOver(message))
    if (first !== undefined) {
      const missing = ofRecord.slice(0, ofRecord.indexOf(first)).filter(message => !this.#isOver(message))
      const later = ofRecord.slice(ofRecord.indexOf(first)).filter(message => this.#taken.has(message))
      expect({ first, missing, later }).toEqual({ first, missing: [], later: [] })
    }
    for (const message of sent) this.#taken.add(message)
  }

  #drop(sending: Pick<Sending<LaneEvent>, 'seqs' | 'kinds'>): void {
    for (const message of this.#messagesIn(sending)) if (!this.#taken.has(message)) this.#dropped.add(message)
  }

  /** What a sending stands for: of the events before the last one all, of the last one these kinds. */
  #messagesIn({ seqs, kinds }: Pick<Sending<LaneEvent>, 'seqs' | 'kinds'>): string[] {
    const merged = this.#feed.filter(({ seq }) => seqs.slice(0, -1).includes(seq))
    return [...merged.flatMap(messagesOf), ...messagesOf({ seq: seqs.at(-1) ?? 0, kinds })]
  }

  #check(): void {
    const { held, inFlight, parked, settledSeq } = this.#state
    expect(held).toBeLessThanOrEqual(heldEvents)
    expect(inFlight).toBe(this.#underWay.length)
    expect(parked.count).toBeLessThanOrEqual(mostParked)
    expect(settledSeq).toBeGreaterThanOrEqual(this.#stored.settledSeq)
  }

  /** What is stored as done was taken, is parked, or is not for the receiver. */
  #checkStored(): void {
    const { settledSeq, holes, parked } = this.#stored
    const waiting = new Set(
      [...parked.values()].flatMap(({ seq, mergedSeqs, kinds }) =>
        this.#messagesIn({ seqs: [...mergedSeqs, seq], kinds }),
      ),
    )
    const isDone = (seq: number) => {
      const place = seq - settledSeq - 1
      return place < 0 || (((holes[place >> 3] ?? 0) >> (place & 7)) & 1) === 1
    }
    const lost = this.#feed
      .filter(({ seq }) => isDone(seq))
      .flatMap(messagesOf)
      .filter(message => !this.#isOver(message) && !waiting.has(message))
    expect(lost).toEqual([])
    const ofRecords = new Map<string, number>()
    for (const { resourceId } of parked.values()) ofRecords.set(resourceId, (ofRecords.get(resourceId) ?? 0) + 1)
    expect(Math.max(0, ...ofRecords.values())).toBeLessThanOrEqual(mostParkedOfRecord)
  }
}

const messagesOf = ({ seq, kinds }: Pick<LaneEvent, 'seq' | 'kinds'>) => kinds.map(kind => `${seq} ${kind}`)

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
      kinds: fc.constantFrom(
        ...[['deal.created'], ['deal.updated'], ['deal.updated'], ['deal.updated'], ['deal.deleted']],
        ...[['deal.moved', 'deal.won'], ['deal.won'], ['deal.updated', 'deal.lost']],
      ),
      gap: fc.oneof({ weight: 9, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(800) }),
    }),
    { minLength: 1, maxLength: 300 },
  )
  .map(written => {
    let seq = 0
    return written.map(({ record, kinds, gap }): LaneEvent => {
      seq += 1 + gap
      return { seq, kinds, resourceId: `r${record}` }
    })
  })

it('whatever a receiver answers and whenever its worker crashes, a lane loses nothing, keeps the order and its bounds, and never goes back', () => {
  fc.assert(
    fc.property(feeds, fc.commands(steps, { maxCommands: 300, size: '+2' }), (feed, commands) => {
      const real = new Installation(feed)
      fc.modelRun(() => ({ model: {}, real }), commands)
      real.finish()
    }),
    { numRuns: Number(process.env.LANE_RUNS ?? 100) },
  )
})
