import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heldEvents, type LaneEvent, type LaneStart, LaneState, type Sending, tooManyParked } from './lane.rules.ts'
import { active } from './lane-condition.rules.ts'
import { outcomeOfStatus, outcomeWithoutAnswer } from './outcome.rules.ts'
import { mostParked, type ParkedEvent } from './parked-events.rules.ts'

const start: LaneStart = { settledSeq: 0, holes: new Uint8Array(), condition: active, parked: [], concurrency: 4 }
const lane = (from: Partial<LaneStart> = {}) => new LaneState<LaneEvent>({ ...start, ...from }, () => 0.5)

const event = (seq: number, resourceId: string, ...kinds: string[]): LaneEvent => ({
  seq,
  resourceId,
  kinds: kinds.length === 0 ? ['contact.moved'] : kinds,
})
const page = (events: readonly LaneEvent[], fromSeq = 0) => ({ fromSeq, toSeq: events.at(-1)?.seq ?? fromSeq, events })

const aParked = (seq: number, resourceId: string): ParkedEvent => ({
  seq,
  resourceId,
  kinds: ['contact.moved'],
  mergedSeqs: [],
  attempts: 1,
  nextAt: 10_000,
  lastStatus: 400,
})

function sent(state: LaneState<LaneEvent>, now = 0): Sending<LaneEvent> {
  const sending = state.next(now)
  if (sending === null) throw new Error('nothing may be sent')
  return sending
}

const ok = outcomeOfStatus(200, undefined, 0)
const refused = outcomeOfStatus(400, undefined, 0)
const down = outcomeWithoutAnswer('timeout')

describe('a lane', () => {
  it('skips a record that is busy, and goes on with others', () => {
    const state = lane()
    state.accept(page([event(1, 'a'), event(2, 'a'), event(3, 'b')]), 0)
    expect([sent(state).seqs, sent(state).seqs, state.next(0)]).toEqual([[1], [3], null])
  })

  it('stores the position before the lowest open event, and a bit for each later event that is done', () => {
    const state = lane()
    state.accept(page([event(2, 'a'), event(4, 'b'), event(11, 'c')]), 0)
    const [first, second, third] = [sent(state), sent(state), sent(state)]
    state.complete(third, ok, 0)
    expect([state.settledSeq, [...state.holes()]]).toEqual([1, [0, 2]])
    state.complete(first, ok, 0)
    expect([state.settledSeq, [...state.holes()]]).toEqual([3, [128]])
    const next = lane({ settledSeq: 3, holes: state.holes() })
    next.accept(page([event(4, 'b'), event(11, 'c')], 3), 0)
    expect([sent(next).seqs, next.next(0)]).toEqual([[4], null])
    state.complete(second, ok, 0)
    expect([state.settledSeq, state.holes().length]).toEqual([11, 0])
  })

  it('skips an event that the receiver may not see, and probes a receiver that is held with the next one', () => {
    const state = lane()
    state.accept(page([event(1, 'a'), event(2, 'b'), event(3, 'c')]), 0)
    state.omit(sent(state), 0)
    expect([state.settledSeq, state.condition.state]).toEqual([1, 'active'])
    state.complete(sent(state), down, 0)
    expect([state.held, state.next(0)]).toEqual([0, null])
    state.accept(page([event(2, 'b'), event(3, 'c')], 1), 5000)
    state.omit(sent(state, 5000), 5000)
    expect([state.settledSeq, state.condition.state, sent(state, 5000).seqs]).toEqual([2, 'held', [3]])
  })

  it('stays held while events that it has forgotten have to be read again', () => {
    const state = lane()
    state.accept(page([event(1, 'a')]), 0)
    state.complete(sent(state), down, 0)
    expect([state.readSeq, state.endHoldOfNothing(), state.condition.state]).toEqual([0, false, 'held'])
    // The event is no longer wanted when it is read again.
    state.accept({ fromSeq: 0, toSeq: 1, events: [] }, 6000)
    expect([state.readSeq, state.endHoldOfNothing(), state.condition.state]).toEqual([1, true, 'active'])
  })

  it('ignores a page that does not begin where the last one ended', () => {
    const state = lane()
    state.accept(page([event(6, 'a')], 5), 0)
    expect([state.readSeq, state.held]).toEqual([0, 0])
  })

  it('holds no more events than it may', () => {
    const state = lane()
    state.accept(page(Array.from({ length: 300 }, (_, n) => event(n + 1, `r${n}`))), 0)
    expect([state.held, state.readSeq, state.room(0)]).toEqual([heldEvents, heldEvents, null])
    const far = lane()
    far.accept(page([event(10, 'a'), event(521, 'b'), event(522, 'c')]), 0)
    expect([far.held, far.readSeq]).toEqual([2, 521])
  })

  it('probes with the oldest event, and goes on, if the next ones are too far behind it', () => {
    const condition = { ...active, state: 'held', reason: 'status', failures: 1, resumeAt: 5000 } as const
    const state = lane({ condition })
    state.accept(page([event(1, 'a'), event(600, 'b')]), 5000)
    expect([sent(state, 5000).seqs, state.readSeq]).toEqual([[1], 599])
  })

  it('sends fewer at a time after a failure of a server, one after it was down, and more after ten successes', () => {
    const state = lane({ concurrency: 4 })
    const events = Array.from({ length: 60 }, (_, n) => event(n + 1, `r${n}`))
    state.accept(page(events), 0)
    const flyingAtMost = (now: number) => {
      const under: Sending<LaneEvent>[] = []
      for (let next = state.next(now); next !== null; next = state.next(now)) under.push(next)
      return under
    }
    const four = flyingAtMost(0)
    expect(four).toHaveLength(4)
    four.forEach((sending, index) => state.complete(sending, index === 0 ? outcomeOfStatus(500, undefined, 0) : ok, 0))
    const two = flyingAtMost(0)
    expect(two).toHaveLength(2)
    for (const sending of two) state.complete(sending, down, 0)
    expect(state.condition).toMatchObject({ state: 'held', failures: 1, resumeAt: 5000 })
    expect([state.held, state.next(4999)]).toEqual([0, null])
    state.accept(page(events.slice(4), 4), 5000)
    const probe = sent(state, 5000)
    expect([probe.isProbe, state.next(5000)]).toEqual([true, null])
    state.complete(probe, ok, 5000)
    for (let count = 0; count < 10; count += 1) {
      expect(state.inFlight).toBe(0)
      const one = flyingAtMost(5000)
      expect(one).toHaveLength(1)
      for (const sending of one) state.complete(sending, ok, 5000)
    }
    expect(flyingAtMost(5000)).toHaveLength(2)
  })

  it('is held after five failures of different records in a row, and not after five of one', () => {
    const state = lane()
    for (let seq = 1; seq <= 5; seq += 1) {
      expect(state.condition.state).toBe('active')
      state.accept(page([event(seq, `r${seq}`)], seq - 1), 0)
      state.complete(sent(state), refused, 0)
    }
    expect(state.condition).toMatchObject({ state: 'held', reason: 'failures' })
    const one = lane()
    one.accept(page([event(1, 'a')]), 0)
    for (let now = 0, count = 0; count < 8; count += 1, now += 100_000_000) one.complete(sent(one, now), refused, now)
    expect(one.condition.state).toBe('active')
  })

  it('is held while there is no room for a parked event, and goes on when one was delivered', () => {
    const parked = Array.from({ length: mostParked }, (_, n) => aParked(n + 1, `r${n}`))
    const state = lane({ settledSeq: 2000, parked })
    state.accept(page([event(2001, 'other')], 2000), 0)
    state.complete(sent(state), refused, 0)
    expect(state.condition).toMatchObject({ state: 'held', reason: tooManyParked })
    expect([state.parked.count, state.settledSeq, state.room(9000), state.next(9000)]).toEqual([
      mostParked,
      2000,
      null,
      null,
    ])
    state.complete(sent(state, 10_000), ok, 10_000)
    expect([state.condition.state, state.parked.count]).toEqual(['active', mostParked - 1])
    state.accept(page([event(2001, 'other')], 2000), 10_000)
    expect(sent(state, 0).seqs).toEqual([2001])
  })

  it('is not held for room when nothing is parked any more', () => {
    const condition = {
      ...active,
      state: 'held' as const,
      reason: tooManyParked,
      failures: 1,
      failingSince: 0,
      resumeAt: 0,
    }
    const state = lane({ condition, parked: [aParked(1, 'a')], settledSeq: 1 })
    state.omit(sent(state, 10_000), 10_000)
    expect([state.condition, lane({ condition }).condition]).toEqual([active, active])
  })

  it('reads no event of a parked record that is too far ahead for the bits of its position', () => {
    const state = lane({ parked: [aParked(1, 'a')], settledSeq: 1 })
    state.accept(page([event(10, 'b'), event(600, 'a')], 1), 0)
    expect([state.settledSeq, state.readSeq, state.holes().length]).toEqual([9, 599, 0])
  })

  it('lets at most a hundred events of one record wait, and merges updates that do', () => {
    const state = lane()
    state.accept(page([event(1, 'a')]), 0)
    state.complete(sent(state), refused, 0)
    const updates = Array.from({ length: 150 }, (_, n) => event(n + 2, 'a', 'contact.updated'))
    state.accept(page(updates, 1), 0)
    expect([state.parked.count, state.settledSeq]).toEqual([3, 151])
    const moves = Array.from({ length: 120 }, (_, n) => event(n + 152, 'a'))
    state.accept(page(moves, 151), 0)
    expect([state.parked.count, state.readSeq]).toEqual([100, 248])
    expect(state.condition).toMatchObject({ state: 'held', reason: tooManyParked })
  })
})

describe('the lane of a replay', () => {
  it('sends each update by itself, and goes on without parking where one was refused', () => {
    const state = lane({ isReplay: true })
    state.accept(page([event(1, 'a', 'contact.updated'), event(2, 'a', 'contact.updated')]), 0)
    const first = sent(state)
    expect(first.seqs).toEqual([1])
    state.complete(first, refused, 0)
    expect([state.parked.count, state.settledSeq, sent(state).seqs]).toEqual([0, 1, [2]])
  })
})

describe('an event of which two messages are sent', () => {
  const won = event(1, 'a', 'deal.moved', 'deal.won')
  const kindsOf = (state: LaneState<LaneEvent>, now = 0) => {
    const sending = sent(state, now)
    state.putBack(sending)
    return sending.kinds
  }

  it('is settled after the second message, which waits for the first, and later events of its record wait for both', () => {
    const state = lane()
    state.accept(page([won, event(2, 'a'), event(3, 'b')]), 0)
    const first = sent(state)
    expect([first.seqs, first.kinds, sent(state).seqs, state.next(0)]).toEqual([[1], won.kinds, [3], null])
    state.complete(first, ok, 0)
    expect([state.settledSeq, state.holes().length]).toEqual([0, 0])
    const second = sent(state)
    expect([second.seqs, second.kinds]).toEqual([[1], ['deal.won']])
    state.complete(second, ok, 0)
    expect([state.settledSeq, sent(state).seqs]).toEqual([1, [2]])
  })

  it('is parked with what is still to be sent, and each message has attempts of its own', () => {
    const state = lane()
    state.accept(page([won, event(2, 'a')]), 0)
    state.complete(sent(state), ok, 0)
    state.complete(sent(state), refused, 0)
    expect([state.settledSeq, state.parked.count]).toEqual([2, 2])
    const [parked] = [...state.parked.takeChanges().values()]
    expect(parked).toMatchObject({ seq: 1, kinds: ['deal.won'], attempts: 1 })
    const both = lane({ settledSeq: 1, parked: [{ ...aParked(1, 'a'), kinds: won.kinds, attempts: 3 }] })
    expect(kindsOf(both, 10_000)).toEqual(won.kinds)
    both.complete(sent(both, 10_000), ok, 10_000)
    expect([...both.parked.takeChanges().values()]).toMatchObject([{ kinds: ['deal.won'], attempts: 0 }])
    both.complete(sent(both, 10_000), ok, 10_000)
    expect(both.parked.count).toBe(0)
  })

  it('goes on with the second when the first was given up', () => {
    const state = lane({ settledSeq: 1, parked: [{ ...aParked(1, 'a'), kinds: won.kinds, attempts: 9 }] })
    state.complete(sent(state, 10_000), refused, 10_000)
    expect(kindsOf(state, 10_000)).toEqual(['deal.won'])
  })

  it('does not send the first again when the receiver was down for the second', () => {
    const state = lane()
    state.accept(page([won]), 0)
    state.complete(sent(state), ok, 0)
    state.complete(sent(state), down, 0)
    expect([state.held, state.settledSeq]).toEqual([0, 0])
    state.accept(page([won]), 5000)
    expect(kindsOf(state, 5000)).toEqual(['deal.won'])
  })

  it('is not merged, although it is an update', () => {
    const state = lane()
    const updates = [event(1, 'a', 'deal.updated'), event(2, 'a', 'deal.updated', 'deal.won')]
    state.accept(page([...updates, event(3, 'a', 'deal.updated')]), 0)
    expect(sent(state).seqs).toEqual([1])
  })
})

/** What a scripted receiver does with a call. */
const answers = fc.oneof(
  { weight: 6, arbitrary: fc.constant(ok) },
  { weight: 2, arbitrary: fc.constantFrom(refused, outcomeOfStatus(500, undefined, 0)) },
  { weight: 1, arbitrary: fc.constant(down) },
)
const kinds = [['contact.created'], ['contact.updated'], ['contact.updated'], ['deal.moved', 'deal.won']]
const step = fc.record({
  answer: answers,
  place: fc.nat(7),
  wait: fc.nat(3),
  isCrash: fc.boolean(),
  crashes: fc.nat(30),
})

describe('a lane under a receiver that fails as it likes, and workers that are killed,', () => {
  it('delivers everything, in order for each record, and never two events of one record at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ record: fc.nat(4), kind: fc.nat(3) }), { minLength: 1, maxLength: 60 }),
        fc.array(step, { maxLength: 120 }),
        (written, steps) => {
          const events = written.map(({ record, kind }, n) => event(n + 1, `r${record}`, ...(kinds[kind] ?? [])))
          new Model(events).play(steps)
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** In words: of which record, with which number, of which kind. */
const messageOf = (...words: unknown[]) => words.join(' ')

interface Step {
  readonly answer: typeof ok
  readonly place: number
  readonly wait: number
  readonly isCrash: boolean
  readonly crashes: number
}

/** A feed, a receiver and a table of what was stored; a crash loses what was not. */
class Model {
  readonly #events: readonly LaneEvent[]
  readonly #received: string[] = []
  #stored: LaneStart = start
  readonly #parked = new Map<number, ParkedEvent>()
  #state = lane()
  #under: Sending<LaneEvent>[] = []
  #now = 0

  constructor(events: readonly LaneEvent[]) {
    this.#events = events
  }

  play(steps: readonly Step[]): void {
    for (const { answer, place, wait, isCrash, crashes } of steps) {
      this.#begin()
      this.#now += [0, 1000, 400_000, 4_000_000][wait] ?? 0
      if (isCrash && crashes === 0) this.#crash()
      else if (this.#under.length > 0) this.#end(place, answer)
    }
    // In the end the receiver is well.
    for (let turn = 0; turn < 2000 && !this.#isDone; turn += 1) {
      this.#begin()
      if (this.#under.length > 0) this.#end(0, ok)
      else this.#now += 100_000_000
    }
    this.#check()
  }

  get #isDone(): boolean {
    return this.#state.settledSeq === this.#events.length && this.#state.parked.count === 0 && this.#under.length === 0
  }

  #begin(): void {
    const wanted = this.#state.room(this.#now)
    if (wanted !== null) {
      const fromSeq = this.#state.readSeq
      const events = this.#events.filter(({ seq }) => seq > fromSeq && seq <= wanted.lastSeq).slice(0, 7)
      this.#state.accept({ fromSeq, toSeq: events.at(-1)?.seq ?? fromSeq, events }, this.#now)
    }
    for (let next = this.#state.next(this.#now); next !== null; next = this.#state.next(this.#now)) {
      const { resourceId } = next
      expect(this.#under.some(sending => sending.resourceId === resourceId)).toBe(false)
      this.#under.push(next)
    }
  }

  #end(place: number, answer: typeof ok): void {
    const [sending] = this.#under.splice(place % this.#under.length, 1)
    if (sending === undefined) return
    // An attempt that would be the last one: this receiver takes it.
    const outcome = sending.attempts >= 9 ? ok : answer
    if (outcome === ok)
      for (const seq of sending.seqs) this.#received.push(messageOf(sending.resourceId, seq, sending.kinds[0]))
    this.#state.complete(sending, outcome, this.#now)
    this.#store()
  }

  #store(): void {
    for (const [seq, change] of this.#state.parked.takeChanges()) {
      if (change === null) this.#parked.delete(seq)
      else this.#parked.set(seq, change)
    }
    const { settledSeq, condition } = this.#state
    this.#stored = { ...start, settledSeq, holes: this.#state.holes(), condition, parked: [...this.#parked.values()] }
    expect(this.#stored.holes.length).toBeLessThanOrEqual(64)
  }

  #crash(): void {
    this.#under = []
    this.#state = lane(this.#stored)
  }

  #check(): void {
    expect(this.#isDone).toBe(true)
    const records = new Set(this.#events.map(({ resourceId }) => resourceId))
    for (const record of records) {
      const isOf = ({ resourceId }: LaneEvent) => resourceId === record
      const wanted = this.#events
        .filter(isOf)
        .flatMap(({ seq, kinds: all }) => all.map(kind => messageOf(record, seq, kind)))
      expect([...new Set(this.#received.filter(message => message.startsWith(`${record} `)))]).toEqual(wanted)
    }
  }
}
