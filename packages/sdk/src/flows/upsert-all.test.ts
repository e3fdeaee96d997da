import { expect, test } from 'vitest'
import { answerOf } from '../core/answer.ts'
import { CrmError, KeyConflict, RateLimited, refusal } from '../core/errors.ts'
import type { LogEntry } from '../core/log.ts'
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
    return answerOf(answer())
  }

  batchGet(): never {
    throw new Error('nothing is looked up')
  }
}

async function keysOf(source: Iterable<object>, overwrite = true): Promise<string[]> {
  const keys = []
  for await (const chunk of chunksOf(source)) keys.push(await keyOf('erp', 'contacts', overwrite, chunk))
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

test('a chunk ends before a row whose key it has already, and a row without a key ends none', async () => {
  const keys = ['a', 'b', 'a', 'a', 'c', 7, 7, 'b']
  const found = []
  for await (const { start, rows: own } of chunksOf(keys.map(externalId => ({ externalId }))))
    found.push([start, own.length])
  expect(found).toEqual([
    [0, 2],
    [2, 1],
    [3, 5],
  ])
})

test('a key says run, kind, chunk and the rows without their versions', async () => {
  const keys = await keysOf(rows(200))
  expect(keys.map(key => key.replace(/[0-9a-f]{64}$/u, ''))).toEqual(['erp/contacts/0/', 'erp/contacts/1/'])
  const versioned = Array.from(rows(200), row => ({ ...row, expectedVersion: 7 }))
  expect(await keysOf(versioned)).toEqual(keys)
  expect((await keysOf([...rows(99), { externalId: 'another' }]))[0]).not.toBe(keys[0])
})

test('a key says whether the run overwrites', async () => {
  expect(await keysOf(rows(1), false)).not.toEqual(await keysOf(rows(1), true))
})

test('a key is that of the JSON that is sent, in whatever order its members are', async () => {
  class Person {
    readonly externalId = 'a'
    readonly #name: string
    constructor(name: string) {
      this.#name = name
    }
    toJSON() {
      return { externalId: this.externalId, firstName: this.#name, expectedVersion: 1 }
    }
  }
  const [anna] = await keysOf([new Person('Anna')])
  expect(await keysOf([{ firstName: 'Anna', externalId: 'a' }])).toEqual([anna])
  expect(await keysOf([new Person('Boris')])).not.toEqual([anna])
  const nested = [{ externalId: 'a', address: { city: 'Riga', country: 'LV' } }]
  expect(await keysOf([{ address: { country: 'LV', city: 'Riga' }, externalId: 'a' }])).toEqual(await keysOf(nested))
  const versioned = [{ externalId: 'a', address: { city: 'Riga', country: 'LV', expectedVersion: 1 } }]
  expect(await keysOf(versioned)).not.toEqual(await keysOf(nested))
})

test('a row that is no object in JSON is refused', async () => {
  for (const row of [[], { toJSON: () => null }, { toJSON: () => undefined }])
    await expect(keysOf([{ externalId: 'a' }, row])).rejects.toThrow('row 1 is no object in JSON')
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
  const told: LogEntry[] = []
  const sleep = async (milliseconds: number) => void slept.push(milliseconds)
  const clock = { now: () => 0, sleep, timeout: () => () => {} }
  const limited = new RateLimited({ code: 'rate_limit_exceeded', message: '', status: 429, retryAfter: 7 })
  const batches = new Batches(async call => {
    if (call === 1) throw limited
  })
  let seen = 0
  for await (const { error } of upsertAll(
    'contacts',
    batches,
    rows(900),
    { run: 'erp' },
    { clock, log: entry => told.push(entry) },
  )) {
    expect(error).toBeUndefined()
    seen += 1
  }
  expect([seen, slept]).toEqual([900, [7000]])
  expect(new Set(batches.keys).size).toBe(9)
  expect(told).toMatchObject([{ operation: 'contacts.batchUpsert', attempt: 1, status: 429, retryIn: 7000 }])
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

test('a batch that repeats the key of one under way is sent when that one has ended, and others are not held up', async () => {
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const batches = new Batches(call => (call === 1 ? ended : Promise.resolve()))
  const source = [
    ...rows(250),
    { externalId: 'row-0' },
    ...Array.from(rows(49), (_, at) => ({ externalId: `new-${at}` })),
  ]
  const results = upsertAll('contacts', batches, source, { run: 'erp' })
  const first = results.next()
  await expect.poll(() => batches.keys).toHaveLength(2)
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  expect(batches.keys).toHaveLength(2)
  end()
  await first
  let rest = 0
  for await (const _ of results) rest += 1
  expect([rest, batches.keys.length]).toEqual([source.length - 1, 3])
})

test('a row with a version is refused before its batch is sent, if the run overwrites', async () => {
  const batches = new Batches(async () => {})
  const versioned = [...rows(1), { externalId: 'a', expectedVersion: 2 }]
  const results = upsertAll('contacts', batches, versioned, { run: 'erp' })
  await expect(results.next()).rejects.toThrow('row 1 brings expectedVersion, but overwrite is true')
  expect(batches.keys).toEqual([])
  const own = upsertAll('contacts', batches, versioned, { run: 'erp', overwrite: false })
  expect((await own.next()).value).toMatchObject({ status: 201 })
})

test('a server that asks for a rest of more than two minutes ends the run', async () => {
  const slept: number[] = []
  const sleep = async (milliseconds: number) => void slept.push(milliseconds)
  const clock = { now: () => 0, sleep, timeout: () => () => {} }
  const limited = (retryAfter: number) =>
    new RateLimited({ code: 'rate_limit_exceeded', message: '', status: 429, retryAfter })
  const batches = new Batches(async call => {
    if (call < 3) throw limited(119 + call)
  })
  const results = upsertAll('contacts', batches, rows(1), { run: 'erp' }, { clock })
  await expect(results.next()).rejects.toMatchObject({ retryAfter: 121 })
  expect(slept).toEqual([120_000])
})

interface Person extends Row {
  readonly firstName?: string | null
  readonly tags?: readonly string[]
}

test.each([
  [new KeyConflict({ code: 'idempotency_conflict', message: '', status: 409, details: { firstUsedAt: 'then' } })],
  [refusal({ code: 'resource_deleted', message: '', status: 410, details: { reason: 'person_erased' } })],
])('of a batch that was decided before, a row is written only if the record says the same: %s', async conflict => {
  const sent: Person[] = [
    { externalId: 'same', expectedVersion: 3, firstName: 'Anna', tags: ['a'] },
    { externalId: 'empty', firstName: null },
    { externalId: 'other', firstName: 'Anna' },
    { externalId: 'gone', firstName: 'Anna' },
  ]
  const records = [
    { externalId: 'same', firstName: 'Anna', tags: ['a'], version: 4 },
    { externalId: 'empty', version: 1 },
    { externalId: 'other', firstName: 'Boris', version: 9 },
  ]
  const elements = [...records.map(data => ({ status: 200, data })), { status: 404 }]
  const whole = Promise.resolve({ data: elements, meta: {}, response: new Response(), requestId: '' })
  const methods: BatchWrites<Person, object> = {
    batchUpsert: () => answerOf(Promise.reject(conflict)),
    batchGet: () => answerOf(whole),
  }
  const results = []
  for await (const result of upsertAll('contacts', methods, sent, { run: 'erp', overwrite: false }))
    results.push(result)
  const refused = { status: conflict.status, error: { code: 'decided_before', details: conflict.details } }
  expect(results).toMatchObject([
    { index: 0, status: 200, isReplay: true, record: records[0] },
    { index: 1, status: 200, isReplay: true, record: records[1] },
    { index: 2, isReplay: true, ...refused, current: records[2] },
    { index: 3, isReplay: true, ...refused, current: null },
  ])
  expect(results.map(({ record }) => record !== undefined)).toEqual([true, true, false, false])
})

test('of a batch whose records are gone for another reason, the error is thrown', async () => {
  const gone = refusal({ code: 'resource_deleted', message: '', status: 410 })
  const batches = new Batches(() => Promise.reject(gone))
  await expect(upsertAll('contacts', batches, rows(1), { run: 'erp' }).next()).rejects.toBe(gone)
})
