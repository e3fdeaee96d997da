import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { Client } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aRequest, named, outcome, send } from './support/requests.ts'

let api: TestApi
let limited: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
  // Nothing listens there: the shared counters cannot be reached.
  limited = await startApi({ beside: api, redisUrl: 'redis://127.0.0.1:1' })
  organization = await anOrganization(api)
})
afterAll(async () => {
  await limited.close()
  await api.close()
})

describe.each(named(operations))('%s while the rate limiter cannot be reached', (_, operation) => {
  it('answers 503 with Retry-After, without rate headers, and is not executed', async () => {
    const request = await aRequest(operation, organization)
    const { seq } = (await organization.client.get('/changes/cursor')).data
    const answer = await send(new Client(limited.url, organization.client.token), request)
    expect([outcome(answer), answer.details]).toEqual(['503 rate_limiter_unavailable', {}])
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('ratelimit-limit')).toBeNull()
    expect((await organization.client.get('/changes/cursor')).data.seq).toBe(seq)
  })
})

describe('while the rate limiter cannot be reached', () => {
  it('a wrong token still gets a 401, however often', async () => {
    const stranger = new Client(limited.url, 'letmein')
    for (let index = 0; index < 35; index += 1) {
      expect(outcome(await stranger.get('/contacts'))).toBe('401 invalid_token')
    }
  })

  it('a missing scope still gets a 403', async () => {
    const { token } = await organization.token([])
    expect(outcome(await new Client(limited.url, token).get('/contacts'))).toBe('403 insufficient_scope')
  })
})
