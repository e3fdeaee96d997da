import { expect, test } from 'vitest'
import { signedHeaders } from '../../server/src/webhooks/signature.ts'
import { useOrganizations } from '../sdk/support/given.ts'
import { runPython } from './support/python.ts'

const given = useOrganizations()
const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']

test('the examples of the page run, and do what it says', async () => {
  const body = JSON.stringify({ type: 'webhook.test', timestamp: '2026-01-31T09:15:00.000Z', data: {} })
  const headers = signedHeaders({ id: 'chg_1', body, at: Date.now() }, secrets)
  const environment = { CRM_URL: given.api.url, CRM_TOKEN: given.organization.client.token }
  const message = JSON.stringify({ body, headers, secrets })
  expect(await runPython('test/python/programs/examples.py', environment, message)).toEqual({
    refused: ['b', 'b'],
    anna: ['a', 1],
    titles: ['Chairs'],
    changed: ' VIP',
    followed: ['contact.created'],
    stored: 'later',
    reads: 1,
    verified: 'webhook.test',
    blocks: 5,
  })
})
