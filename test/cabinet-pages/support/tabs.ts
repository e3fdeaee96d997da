import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestApi } from '../../support/api.ts'
import { aSignedInBrowser, type TestUser } from '../../support/people.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page in Chromium, and what it must not do. */
export interface Tab {
  readonly page: Page
  /** What the page has done that no page may: errors, warnings, refused by the policy, requests to other hosts. */
  readonly problems: readonly string[]
  /** Expects that it has done nothing of that, and that axe finds nothing. The policy of the page stays on. */
  expectClean(): Promise<void>
  close(): Promise<void>
}

export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })

/** Opens a tab with cookies and memory of its own. With a user, that one is signed in there. */
export async function openTab(
  browser: Browser,
  api: TestApi,
  user?: TestUser,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const size = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', baseURL: api.url, ...options })
  if (user !== undefined) {
    const { cookies } = await aSignedInBrowser(api, user)
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: api.url })))
  }
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', message => {
    // Chromium reports each refusal so, also those that a page expects.
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('pageerror', error => problems.push(error.message))
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== api.url) problems.push(`asked ${request.url()}`)
  })
  await page.exposeFunction('reportViolation', (text: string) => problems.push(text))
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', event => reportViolation(`${event.violatedDirective}: ${event.blockedURI}`))",
  )
  return {
    page,
    problems,
    async expectClean() {
      expect(await findingsOf(page)).toEqual([])
      expect(problems).toEqual([])
    },
    async close() {
      // A request that a test still passes on would fail with the tab.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}

/** What axe finds. It is brought in by the debugger, which the policy does not hinder. */
async function findingsOf(page: Page): Promise<unknown> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe })
  const expression = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`
  const { result } = await debug.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  await debug.detach()
  return result.value ?? result.description
}
