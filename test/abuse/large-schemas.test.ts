import { beforeAll, describe, expect, test } from 'vitest'
import { cpuSeconds } from '../../bench/usage.ts'
import { limits } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { setsPath } from '../conformance/support/agent-requests.ts'
import { anIntegrationBody, integrationsPath } from '../conformance/support/integrations.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { standingStill } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('integrations and products of too many parts')
let measured: Measured
const outcomes = new Map<string, Outcome>()
const secondsOf = new Map<string, number>()

const connections = 10
const mostSeconds = 0.2
const quoted = 200

const parameter = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  in: 'query',
  type: 'string',
  description: 'What the model reads',
  ...more,
})
const listOf = <Item>(length: number, item: (index: number) => Item) =>
  Array.from({ length }, (_, index) => item(index))
const integration = (members: JsonObject) =>
  JSON.stringify(anIntegrationBody({ url: 'https://example.com/', parameters: [], ...members }))
const product = (members: JsonObject) => JSON.stringify({ name: 'Tea pot', ...members })
/** Some room for the rest of the body. */
const length = limits.jsonBodyBytes - 2000
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Bodies of nearly a mebibyte, none of which is legal. */
const integrations: Readonly<Record<string, () => string>> = {
  'many parameters': () => integration({ parameters: listOf(9000, index => parameter(`p${index}`)) }),
  'many values of a parameter': () =>
    integration({ parameters: [parameter('p', { type: 'integer', enum: listOf(130_000, index => index) })] }),
  'parameters with many unknown members': () =>
    integration({
      parameters: listOf(30, () => parameter('p', Object.fromEntries(listOf(2800, index => [`m${index}`, 0])))),
    }),
  'a parameter with a long name': () => integration({ parameters: [parameter('k'.repeat(length))] }),
  'a member with a long name': () => integration({ ['k'.repeat(length)]: 1 }),
  'a value inside of values': () =>
    integration({ parameters: [parameter('p', { enum: ['deep'] })] }).replace('"deep"', deep(length / 2)),
  'many headers': () => integration({ headers: listOf(20_000, index => ({ name: `X-${index}`, value: 'x' })) }),
  'an address of placeholders': () => integration({ url: `https://example.com/${'{p}'.repeat(length / 3)}` }),
  'a body of placeholders': () => integration({ bodyTemplate: '{p}'.repeat(length / 3) }),
  'an address with many placeholders, none declared': () =>
    integration({ url: `https://example.com/${'{p}/'.repeat(500)}` }),
}
const products: Readonly<Record<string, () => string>> = {
  'many attributes': () => product({ attributes: Object.fromEntries(listOf(60_000, index => [`a${index}`, 'x'])) }),
  'an attribute with a long name': () => product({ attributes: { ['k'.repeat(length)]: 'x' } }),
  'attributes inside of attributes': () => product({ attributes: { a: 'deep' } }).replace('"deep"', deep(length / 2)),
  'many addresses of pictures': () => product({ imageUrls: listOf(35_000, index => `https://example.com/${index}`) }),
}

beforeAll(async () => {
  const { data } = await stage.loud.post(setsPath, { name: 'Spring catalogue' })
  const requests = [
    ...Object.entries(integrations).map(([name, body]) => [name, integrationsPath, body()] as const),
    ...Object.entries(products).map(
      ([name, body]) => [name, `${setsPath}/${String(data.id)}/products`, body()] as const,
    ),
  ].map(([name, path, body]) => [name, { method: 'POST', path, body }] as const)
  for (const [name, request] of requests) {
    // During the first one code is compiled; the others show the cost.
    outcomes.set(name, await stage.attack({ connections: 1, request }))
    secondsOf.set(name, await stage.leastSeconds({ connections: 1, request }, () => cpuSeconds(stage.server.pid)))
  }
  const all = async () => {
    const began = performance.now()
    const statuses: Record<string, number> = {}
    for (const [, request] of requests) {
      const outcome = await stage.attack({ connections, request })
      for (const [status, count] of Object.entries(outcome.statuses)) statuses[status] = (statuses[status] ?? 0) + count
    }
    return { statuses, cutOff: 0, longest: 0, firstBody: '', seconds: (performance.now() - began) / 1000 }
  }
  measured = await stage.measure(all, { promises: [standingStill] })
  const [slowest] = [...secondsOf].toSorted(([, one], [, other]) => other - one)
  await stage.report(`processor time of one with ${slowest?.[0]}`, (slowest?.[1] ?? 0) * 1000, 'ms')
})

describe.each([...Object.keys(integrations), ...Object.keys(products)])('%s', name => {
  test('is refused briefly, for at most 200 ms of processor time', () => {
    const { statuses, longest, firstBody } = outcomes.get(name) ?? { statuses: {}, longest: 0, firstBody: '' }
    expect(statuses).toEqual({ 400: 1 })
    expect(longest).toBeLessThan(64 * 1024)
    expect(firstBody).not.toContain('k'.repeat(quoted + 1))
    expect(secondsOf.get(name)).toBeLessThan(mostSeconds)
  })
})

test('the event loop is never held longer than 100 ms', () => {
  expect(standingStill(measured)).toEqual([])
})

test('each schema is refused, or gets a Retry-After', () => {
  const { 400: refused = 0, 503: later = 0, ...others } = measured.outcome.statuses
  expect([others, refused + later]).toEqual([{}, connections * outcomes.size])
})

everyAttack(stage, () => measured)
