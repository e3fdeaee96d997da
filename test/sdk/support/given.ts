import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type ClientOptions, Crm } from '../../../packages/sdk/src/index.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'

/** What the tests of one file share: an API. Each test has an organization. */
export interface GivenApi {
  readonly api: TestApi
  readonly organization: TestOrganization
  /** A client of the organization that does not rest between its attempts. */
  crm(options?: Partial<ClientOptions>): Crm
}

export function useOrganizations(): GivenApi {
  let api: TestApi | undefined
  let organization: TestOrganization | undefined
  beforeAll(async () => {
    api = await startApi()
  })
  beforeEach(async () => {
    if (api !== undefined) organization = await anOrganization(api)
  })
  afterAll(() => api?.close())
  const begun = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('no test has begun')
    return value
  }
  return {
    get api() {
      return begun(api)
    },
    get organization() {
      return begun(organization)
    },
    crm: options =>
      new Crm({ url: begun(api).url, token: begun(organization).client.token, random: () => 0, ...options }),
  }
}
