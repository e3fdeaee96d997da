import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createHttpServer, Metrics, organizationRoutes } from '../../server/src/entrypoints/http/index.ts'
import { cabinetOperations, operations } from '../../server/src/modules.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase() })
})
afterAll(() => api.close())

test('the metrics tell the requests of the cabinet from those of the API, by operation', async () => {
  const { services } = api
  const metrics = new Metrics(services)
  const cabinet = () => organizationRoutes([...operations, ...cabinetOperations], services)
  const server = createHttpServer({ services, operations, cabinet, trustedProxies: [], onAnswer: [metrics.observe] })
  onTestFinished(() => server.close())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const { id, client } = await anOrganization(api)
  const user = await aUser(api)
  await aMembership(api, user, id)
  const { cookies } = await aSignedInBrowser(api, user)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answers = [
    await fetch(`${url}/cabinet/api/o/${id}/crm/contacts`, { headers: { cookie } }),
    await fetch(`${url}/api/v1/crm/contacts`, { headers: { authorization: `Bearer ${client.token}` } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  for (const answer of answers) await answer.text()
  const counted = (surface: string) =>
    `crm_request_duration_seconds_count{surface="${surface}",operation="contacts.list",method="GET",status="200"} 1`
  await expect.poll(() => metrics.text()).toContain(counted('/cabinet/api/o'))
  expect(await metrics.text()).toContain(counted('/api/v1/crm'))
})
