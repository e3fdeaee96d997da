import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberRoles } from '../../server/src/kernel/auth/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import type { Browser } from '../support/browser.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { roleRows } from './role-table.ts'

let api: TestApi
let organizationId = ''
const browsers = new Map<string, Browser>()

beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase() })
  organizationId = (await anOrganization(api)).id
  for (const role of memberRoles) {
    const user = await aUser(api)
    await aMembership(api, user, organizationId, role)
    browsers.set(role, await aSignedInBrowser(api, user))
  }
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

// A request without a meaningful id, query or body: gate 3 refuses it before anything else is looked at, or something else does.
test.each(memberRoles)(
  'each operation of the cabinet is refused to the role %s, or not, as the table says',
  async role => {
    const browser = browsers.get(role)
    const wrong: string[] = []
    for (const { operation, path, roles } of roleRows) {
      // A stream would not end.
      const isEndless = operation.streams === 'text/event-stream' && roles.includes(role)
      if (isEndless) continue
      const address = path.replace('{organization}', organizationId).replaceAll(/\{\w+\}/gu, newId)
      const answer = await browser?.call(operation.method, `${address}?colour=red`, undefined, {
        headers: typed(operation),
      })
      const isRefused = answer?.status === 403 && answer.error.code === 'insufficient_scope'
      if (isRefused === roles.includes(role))
        wrong.push(`${operation.id}: ${answer?.status} ${String(answer?.error.code)}`)
      if (answer?.error.code === 'rate_limit_exceeded') wrong.push(`${operation.id} was not tried`)
    }
    expect(wrong).toEqual([])
  },
)

const typed = ({ body }: (typeof roleRows)[number]['operation']) =>
  body?.form === 'multipart' ? { 'content-type': 'multipart/form-data; boundary=x' } : {}
