import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { aProduct, setsPath } from '../conformance/support/agent-requests.ts'
import type { Client } from '../support/client.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('products as large as they may be')
let products: string
let quietProducts: string
let written: Measured
let read: Measured
/** Statuses of what the quiet organization writes meanwhile. */
const quietWrites: number[] = []

const [writers, readers] = [24, 4]
const repeatMilliseconds = 5000
const paceMilliseconds = 100

/** Legal, and as large as can be: each character takes four bytes. */
function largeProduct(): string {
  const text = (length: number) => '🂡'.repeat(length)
  const address = (number: number) => `https://example.com/${number}/`.padEnd(2048, 'x')
  const attributes = Array.from({ length: 50 }, (_, index) => [`${text(98)}${index}`, text(1000)])
  return JSON.stringify({
    name: text(300),
    sku: text(100),
    description: text(5000),
    url: address(0),
    imageUrls: Array.from({ length: 10 }, (_, index) => address(index)),
    attributes: Object.fromEntries(attributes),
  })
}

async function aSetOf(client: Client): Promise<string> {
  const { data } = await client.post(setsPath, { name: 'Spring catalogue' })
  return `${setsPath}/${String(data.id)}/products`
}

beforeAll(async () => {
  products = await aSetOf(stage.loud)
  quietProducts = await aSetOf(stage.quiet)
  const body = largeProduct()
  await stage.report('a product', Buffer.byteLength(body) / 1024, 'KiB')
  const options = { paths: [quietProducts], compared: [unfair] }
  const write = { method: 'POST', path: products, body } as const
  written = await stage.measure(
    () => whileQuietWrites(stage.attack({ connections: writers, request: write, repeatMilliseconds })),
    options,
  )
  const page = { method: 'GET', path: `${products}?limit=100` } as const
  read = await stage.measure(() => stage.attack({ connections: readers, request: page, repeatMilliseconds }), options)
})

/** Lets the quiet organization make a product every tenth of a second, until the attack is over. */
async function whileQuietWrites(attack: Promise<Outcome>): Promise<Outcome> {
  let isOver = false
  const outcome = attack.finally(() => {
    isOver = true
  })
  for (; !isOver; await sleep(paceMilliseconds)) {
    const { status } = await stage.quiet.post(quietProducts, aProduct())
    quietWrites.push(status)
  }
  return outcome
}

/** Answers of an attack, of which each may be refused with 503 and nothing else. */
const donesOf = ({ outcome: { statuses, cutOff } }: Measured, status: number) => {
  const { [status]: done = 0, 503: _, ...others } = statuses
  expect([others, cutOff]).toEqual([{}, 0])
  return done
}

describe('written by many at once', () => {
  test('each write is carried out or gets a Retry-After, and those that were carried out are counted', async () => {
    expect(donesOf(written, 201)).toBeGreaterThanOrEqual(writers)
    const { data } = await stage.loud.get(`${products}?limit=1`)
    expect(data.total).toBeGreaterThanOrEqual(donesOf(written, 201))
  })

  test('another organization writes and reads its own, and waits at most four times as long as alone', () => {
    expect(new Set(quietWrites)).toEqual(new Set([201]))
    expect(unfair(written)).toEqual([])
  })

  everyAttack(stage, () => written)
})

describe('read in pages of a hundred', () => {
  test('each page is read, or gets a Retry-After', () => {
    expect(donesOf(read, 200)).toBeGreaterThanOrEqual(readers)
  })

  test('another organization waits at most four times as long as alone', () => {
    expect(unfair(read)).toEqual([])
  })

  everyAttack(stage, () => read)
})
