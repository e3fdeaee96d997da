import type { ICredentialTestFunctions, IDataObject } from 'n8n-workflow'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { CrmWebhookTrigger } from '../../packages/n8n-nodes-crm/nodes/CrmWebhookTrigger/CrmWebhookTrigger.node.ts'
import { receiving } from './stand-ins.ts'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const otherSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const won = { type: 'deal.won', timestamp: '2026-11-28T00:00:00.000Z', data: { resourceId: 'd1', version: 2 } }

function delivery(message: object, { id = 'chg_1', at = new Date(), by = secret } = {}) {
  const text = JSON.stringify(message)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, at, text),
  }
  return { body: Buffer.from(text), headers }
}

async function receive(
  sent: ReturnType<typeof delivery>,
  memory: IDataObject = {},
  kinds: string[] = [],
  secrets = secret,
  { mode, ...workflow }: { readonly mode?: 'manual'; readonly workflow?: string } = {},
) {
  const { functions, status } = receiving({ ...sent, secret: secrets, kinds, ...workflow }, memory, mode)
  const { workflowData, noWebhookResponse, webhookResponse } = await new CrmWebhookTrigger().webhook.call(functions)
  return { items: workflowData?.[0]?.map(({ json }) => json), noWebhookResponse, webhookResponse, status: status() }
}

const item = { 'webhook-id': 'chg_1', ...won }

test('a signed delivery begins the workflow, and the item has its id', async () => {
  expect(await receive(delivery(won), {}, ['deal.won'])).toMatchObject({ items: [item], status: null })
})

test('during a rotation both secrets hold', async () => {
  const sent = delivery(won, { by: otherSecret })
  expect((await receive(sent)).status).toBe(401)
  expect((await receive(sent, {}, [], `${secret} ${otherSecret}`)).items).toEqual([item])
})

test('a delivery that comes again begins nothing, and is answered all the same', async () => {
  const memory = {}
  expect((await receive(delivery(won), memory)).items).toHaveLength(1)
  expect(await receive(delivery(won), memory)).toMatchObject({ webhookResponse: 'repeated', status: null })
  expect((await receive(delivery(won, { id: 'chg_2' }), memory)).items).toHaveLength(1)
})

test('of two deliveries with one id that come at once, one begins the workflow, though n8n gives each a copy of its memory', async () => {
  const at = { workflow: 'at once' }
  const memories: { taken?: string[] }[] = [{}, {}, {}]
  const [one, other, another] = await Promise.all([
    receive(delivery(won), memories[0], [], secret, at),
    receive(delivery(won), memories[1], [], secret, at),
    receive(delivery(won, { id: 'chg_2' }), memories[2], [], secret, at),
  ])
  expect([one.items?.length, other.webhookResponse, another.items?.length]).toEqual([1, 'repeated', 1])
  // The last one that n8n stores has the ids of all.
  expect(memories[2]?.taken).toEqual(['chg_1', 'chg_2'])
  expect((await receive(delivery(won), {}, [], secret, { workflow: 'another' })).items).toHaveLength(1)
})

test('a trial takes the same delivery as often as it comes, and leaves it to the workflow', async () => {
  const memory = {}
  const trial = { mode: 'manual', workflow: 'tried' } as const
  for (let time = 0; time < 2; time++)
    expect((await receive(delivery(won), memory, [], secret, trial)).items).toHaveLength(1)
  expect((await receive(delivery(won), memory, [], secret, { workflow: 'tried' })).items).toHaveLength(1)
})

test('a thousand ids are remembered', async () => {
  const memory = { taken: Array.from({ length: 1000 }, (_, index) => `chg_old_${index}`) }
  await receive(delivery(won), memory)
  expect([memory.taken.length, memory.taken[0], memory.taken.at(-1)]).toEqual([1000, 'chg_old_1', 'chg_1'])
})

test('a forgery is answered with 401, begins nothing, and leaves its id to the real delivery', async () => {
  const sent = delivery(won)
  const memory = {}
  const forged = [
    { ...sent, body: Buffer.from(JSON.stringify({ ...won, type: 'deal.lost' })) },
    { ...sent, headers: { ...sent.headers, 'webhook-id': 'chg_2' } },
    { ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,AAAA' } },
    { ...sent, headers: { ...sent.headers, 'webhook-timestamp': 'soon' } },
    delivery(won, { at: new Date(Date.now() - 310_000) }),
    delivery(won, { at: new Date(Date.now() + 310_000) }),
  ]
  for (const each of forged)
    expect(await receive(each, memory)).toMatchObject({ items: undefined, noWebhookResponse: true, status: 401 })
  expect((await receive(sent, memory)).items).toHaveLength(1)
})

test('a secret that is none verifies nothing', async () => {
  expect((await receive(delivery(won), {}, [], 'whsec_AAAA')).status).toBe(401)
  expect((await receive(delivery(won), {}, [], '')).status).toBe(401)
})

test('kinds that were not chosen begin nothing, but the loss of events is always told', async () => {
  const reset = { type: 'feed.reset', timestamp: won.timestamp, data: { reason: 'expired' } }
  expect(await receive(delivery(won), {}, ['deal.lost'])).toMatchObject({
    items: undefined,
    webhookResponse: 'ignored',
  })
  expect((await receive(delivery(reset), {}, ['deal.lost'])).items).toMatchObject([reset])
})

test('the test of the credential tells a secret from something else', async () => {
  const { crmWebhookSecretTest } = new CrmWebhookTrigger().methods.credentialTest
  const statusOf = async (text: string) => {
    const credentials = { id: '1', name: 'CRM', type: 'crmWebhookApi', data: { secret: text } }
    return (await crmWebhookSecretTest.call({} as ICredentialTestFunctions, credentials)).status
  }
  expect([await statusOf(secret), await statusOf('crm_test_token'), await statusOf('whsec_AAAA')]).toEqual([
    'OK',
    'Error',
    'Error',
  ])
})
