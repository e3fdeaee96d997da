import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { sharedTestDatabase } from '../../support/database.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'
import { aMembership, aUser, type TestUser } from '../../support/people.ts'
import { builtPages } from './built-pages.ts'
import { openChromium, openTab, type Tab } from './tabs.ts'

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

/** The product with its pages, and Chromium in front of it, for the tests of one file. */
export function useCabinetInChromium() {
  let api: TestApi | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    api = await startApi({ test: await sharedTestDatabase(), pages: await builtPages() })
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser?.close()
    const failures = api?.failures
    await api?.close()
    expect(failures).toEqual([])
  })
  const running = () => {
    if (api === undefined || browser === undefined) throw new Error('the product does not run yet')
    return { api, browser }
  }
  return {
    api: () => running().api,
    organization: () => anOrganization(running().api),
    async person(
      organization: TestOrganization,
      { role = 'owner', name = 'Una Berg', isSignedIn = true, ...options }: PersonOptions = {},
    ): Promise<PersonAtPages> {
      const user = await aUser(running().api, { name })
      await aMembership(running().api, user, organization.id, role)
      const tab = await openTab(running().browser, running().api, isSignedIn ? user : undefined, options)
      return {
        ...tab,
        user,
        async open(path) {
          await tab.page.goto(`/cabinet/o/${organization.id}${path}`)
          return tab.page
        },
      }
    },
  }
}
