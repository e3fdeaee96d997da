import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { sharedTestDatabase } from '../../support/database.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser, type TestUser } from '../../support/people.ts'
import { builtPages } from './built-pages.ts'
import { openTab, type Tab } from './tabs.ts'

/** A person at a browser of their own. */
export interface PersonAtPages extends Tab {
  readonly user: TestUser
  /** Opens a page of the organization, such as `/contacts`. */
  open(path: string): Promise<Page>
}

interface PersonOptions extends BrowserContextOptions {
  readonly role?: Parameters<typeof aMembership>[3]
  readonly name?: string
  /** Whether the browser has a session already. */
  readonly isSignedIn?: boolean
}

let shared: Promise<TestApi> | undefined

/** The product with its pages, which the test files of one worker share. It calls receivers on this machine. It ends with the worker. */
async function startCabinet(): Promise<TestApi> {
  return startApi({
    test: await sharedTestDatabase(),
    pages: await builtPages(),
    outboundAllowedNetworks: ['127.0.0.0/8'],
  })
}

/** The product with its pages, and Chromium in front of it, for the tests of one file. */
export function useCabinetInChromium() {
  let running: TestApi | undefined
  let failuresBefore = 0
  beforeAll(async () => {
    shared ??= startCabinet()
    running = await shared
    failuresBefore = running.failures.length
  })
  afterAll(() => {
    expect(running?.failures.slice(failuresBefore)).toEqual([])
  })
  const api = () => {
    if (running === undefined) throw new Error('the product does not run yet')
    return running
  }
  /** A tab in which that user has signed in, or nobody. */
  const tab = async (user?: TestUser, options: BrowserContextOptions = {}): Promise<Tab> => {
    const session = user === undefined ? {} : { cookies: (await aSignedInBrowser(api(), user)).cookies }
    return openTab(api().url, { ...session, ...options })
  }
  return {
    api,
    tab,
    organization: () => anOrganization(api()),
    async person(
      organization: TestOrganization,
      { role = 'owner', name = 'Una Berg', isSignedIn = true, ...options }: PersonOptions = {},
    ): Promise<PersonAtPages> {
      const user = await aUser(api(), { name })
      await aMembership(api(), user, organization.id, role)
      const opened = await tab(isSignedIn ? user : undefined, options)
      return {
        ...opened,
        user,
        async open(path) {
          await opened.page.goto(`/cabinet/o/${organization.id}${path}`)
          return opened.page
        },
      }
    },
  }
}
