import { expect, test } from 'vitest'
import { PromisedAnswer } from '../core/answer.ts'
import { CrmError, RateLimited } from '../core/errors.ts'
import type { WriteOptions } from '../core/options.ts'
import { chunksOf, keyOf } from './chunks.ts'
import { Pace } from './pace.ts'
import { type BatchWrites, upsertAll } from './upsert-all.ts'

interface Row {
  readonly externalId: string
  readonly expectedVersion?: number
}

function* rows(count: number, onRead: () => void = () => {}): Generator<Row> {
  for (let at = 0; at < count; at++) {
    onRead()
    yield { externalId: `row-${at}` }
  }
}

/** A server in whose place the test answers each batch. */
class Batches implements BatchWrites<Row, Row> {
  readonly keys: string[] = []
  readonly signals: AbortSignal[] = []
  underWay = 0
  mostUnderWay = 0
  readonly #answer: (call: number, options: WriteOptions) => Promise<void>

  constructor(answer: (call: number, options: WriteOptions) => Promise<void>) {
    this.#answer = answer
  }

  batchUpsert({ items }: { items: Row[] }, _query: object = {}, options: WriteOptions = {}) {
    this.keys.push(options.idempotencyKey ?? '')
    if (options.signal !== undefined) this.signals.push(options.signal)
    const answer = async () => {
      this.underWay += 1
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay)
      await this.#answer(this.keys.length, options)
      this.underWay -= 1
      const data = items.map(item => ({ status: 201, data: item }))
      return { data, meta: {}, response: new Response(), requestId: '' }
    }
    return new PromisedAnswer(answer())
  }

  batchGet(): never {
    throw new Error('nothing is looked up')
  }
}

async function keysOf(source: Iterable<object>): Promise<string[]> {
  const keys = []
  for await (const chunk of chunksOf(source)) keys.push(await keyOf('erp', 'contacts', chunk))
  return keys
}

test('chunks have 100 rows, and fewer if those are long', async () => {
  const sizes = async (source: Iterable<object>) => {
    const found = []
    for await (const { start, rows: own } of chunksOf(source)) found.push([start, own.length])
    return found
  }
  expect(await sizes(rows(250))).toEqual([
    [0, 100],
    [100, 100],
    [200, 50],
  ])
  expect(await sizes([])).toEqual([])
  const long = Array.from({ length: 60 }, () => ({ description: 'x'.repeat(100_000) }))
  expect(await sizes(long)).toEqual([
    [0, 39],
    [39, 21],
  ])
})

test('a key says run, kind, chunk and the rows without their versions', async () => {
  const keys = await keysOf(rows(200))
  expect(keys.map(key => key.replace(/[0-9a-f]{64}$/u, ''))).toEqual(['erp/contacts/0/', 'erp/contacts/1/'])
  const versioned = Array.from(rows(200), row => ({ ...row, expectedVersion: 7 }))
  expect(await keysOf(versioned)).toEqual(keys)
  expect((await keysOf([...rows(99), { externalId: 'another' }]))[0]).not.toBe(keys[0])
})

test('results come in the order of the rows, though answers do not, and rows are read only as they are needed', async () => {
  let read = 0
  // The first four are answered when all of them are under way, the first one last.
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const batches = new Batches(async call => {
    if (call === 4) begin()
    if (call <= 4) await begun
    for (let turn = 0; call === 1 && turn < 20; turn++) await Promise.resolve()
  })
  const results = upsertAll(
    'contacts',
    batches,
    rows(10_000, () => void (read += 1)),
    { run: 'erp' },
  )
  expect((await results.next()).value).toMatchObject({ index: 0, record: { externalId: 'row-0' } })
  expect([batches.mostUnderWay, read <= 501]).toEqual([4, true])
  let next = 1
  for await (const { index } of results) {
    expect(index).toBe(next)
    next += 1
  }
  expect(next).toBe(10_000)
})

test('batches that meet the limit of rates together halve the width once, and ten that do not widen it by one', () => {
  const pace = new Pace(4)
  const [one, other] = [pace.begin(), pace.begin()]
  one()
  other()
  expect(pace.width).toBe(2)
  other()
  expect(pace.width).toBe(1)
  pace.begin()()
  expect(pace.width).toBe(1)
  const widths = Array.from({ length: 40 }, () => {
    pace.end()
    return pace.width
  })
  expect([widths[8], widths[9], widths[19], widths[29], widths[39]]).toEqual([1, 2, 3, 4, 4])
})

test('a batch that meets the limit of rates for good is sent again with its key, when the limit allows', async () => {
  const slept: number[] = []
  const sleep = async (milliseconds: number) => void slept.push(milliseconds)
  const clock = { now: () => 0, sleep, timeout: () => () => {} }
  const limited = new RateLimited({ code: 'rate_limit_exceeded', message: '', status: 429, retryAfter: 7 })
  const batches = new Batches(async call => {
    if (call === 1) throw limited
  })
  let seen = 0
  for await (const { error } of upsertAll('contacts', batches, rows(900), { run: 'erp' }, clock)) {
    expect(error).toBeUndefined()
    seen += 1
  }
  expect([seen, slept]).toEqual([900, [7000]])
  expect(new Set(batches.keys).size).toBe(9)
  expect(batches.keys).toHaveLength(10)
})

test('a caller that asks no more ends the requests under way', async () => {
  const batches = new Batches((_call, { signal }) =>
    signal === batches.signals[0] ? Promise.resolve() : new Promise(() => {}),
  )
  for await (const { index } of upsertAll('contacts', batches, rows(500), { run: 'erp' })) if (index === 3) break
  expect(batches.signals.every(({ aborted }) => aborted)).toBe(true)
})

test('an error of a batch is thrown in its turn, after the results before it', async () => {
  const refused = new CrmError({ code: 'insufficient_scope', message: 'no', status: 403 })
  const batches = new Batches(async call => {
    if (call > 1) throw refused
  })
  let seen = 0
  const run = async () => {
    for await (const _ of upsertAll('contacts', batches, rows(500), { run: 'erp' })) seen += 1
  }
  await expect(run()).rejects.toBe(refused)
  expect(seen).toBe(100)
})

test('a run without a name, or too wide, is refused', async () => {
  const batches = new Batches(async () => {})
  for (const run of ['', 'ä', 'x'.repeat(151)])
    await expect(upsertAll('contacts', batches, rows(1), { run }).next()).rejects.toThrow('run has 1 to 150')
  for (const concurrency of [0, 17, Number.NaN])
    await expect(upsertAll('contacts', batches, rows(1), { run: 'a', concurrency }).next()).rejects.toThrow(
      'from 1 to 16',
    )
})
