import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

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

let shared: Promise<Browser> | undefined

/** The Chromium that the test files of one worker share, each with tabs of its own. It ends with the worker. */
function sharedChromium(): Promise<Browser> {
  shared ??= chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  return shared
}

export interface TabOptions extends BrowserContextOptions {
  /** Those of a session that the browser has already. */
  readonly cookies?: ReadonlyMap<string, string>
}

/** Opens a tab with cookies and memory of its own at the pages of a server. */
export async function openTab(url: string, { cookies = new Map(), ...options }: TabOptions = {}): Promise<Tab> {
  const browser = await sharedChromium()
  const size = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', baseURL: url, ...options })
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
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
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== url) problems.push(`asked ${request.url()}`)
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
  // What React Aria has read out stays for seven seconds, and may name a button that is gone by then.
  const expression = `axe.run({ exclude: ['[data-live-announcer]'] }, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`
  const { result } = await debug.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  await debug.detach()
  return result.value ?? result.description
}
