import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ connections: 1 })
  // It asks each second what was administered, which would wait as well.
  await api.services.authentication.stop()
})
afterAll(() => api.close())

/** How many wait for the only connection for rows by key. */
const waiting = () => api.test.database.usage().find(({ pool }) => pool === 'points')?.waiting

test.for([1, 2])(
  '%i writes that are about to begin when configurations are forgotten need no second place',
  async count => {
    const { client } = await anOrganization(api)
    expect((await client.post('/contacts', aContact())).status).toBe(201)
    const held = await api.test.database.begin()
    const writes = Array.from({ length: count }, () => client.post('/contacts', aContact()))
    await until('a write that waits', () => waiting() === 1)
    api.services.configurations.forget()
    await held.rollback()
    const answers = await Promise.all(writes)
    expect(answers.map(({ status, error }) => [status, error])).toEqual(writes.map(() => [201, {}]))
  },
)
