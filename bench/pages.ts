import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Cleanup } from './cleanup.ts'
import type { Options } from './options.ts'
import { percentile } from './percentile.ts'
import { productSecret, startProduct } from './processes.ts'
import { makeScene } from './scene.ts'

const openings = 5
const presses = 200
/** Milliseconds between two repetitions of a key that is held. Faster ones would wait for each other. */
const keyRepeat = 33
const scrollSeconds = 10
const rowHeight = 33
const viewport = { width: 1280, height: 800 }

/**
 * What a person waits for in the list of contacts, in headless Chromium: from opening its address with an empty cache to the first rows,
 * frames while it scrolls, and from an arrow key to the paint. The last two stand beside a virtual list without content in the same browser,
 * which is what the machine can do. Needs Chromium.
 */
export async function measurePages(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-pages-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  cleanup.add(() => browser.close())
  for (const contacts of options.contacts) {
    console.log(`filling ${contacts} contacts`)
    const scene = await makeScene(connection, { contacts, organizations: 1, connections: 1 }, cleanup)
    const [member] = await scene.connections(1)
    if (member === undefined) throw new Error('the scene has no organization')
    const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
    const signedIn = await signIn(
      browser,
      await linkFor(options.product, scene.url, product.url, member.organizationId),
    )
    const session = await signedIn.storageState()
    const address = `${product.url}/cabinet/o/${member.organizationId}/contacts`
    const times: number[] = []
    for (let count = 0; count < openings; count += 1) {
      const fresh = await browser.newContext({ viewport, storageState: session })
      times.push(await timeToRows(await fresh.newPage(), address))
      await fresh.close()
    }
    console.log(`  first rows: ${inWords(times)}`)
    const list = await signedIn.newPage()
    await timeToRows(list, address)
    await measureList('the list', list)
    const empty = await signedIn.newPage()
    await empty.setContent(emptyList(contacts))
    await measureList('a list without content', empty)
  }
}

/** The link with which the owner of the organization chooses a password. */
async function linkFor(product: string, database: string, url: string, organizationId: string): Promise<string> {
  const words = ['user', 'create', '--email', 'una.berg@example.com', '--name', 'Una Berg', '--role', 'owner']
  const settings = { CRM_SECRET: productSecret, DATABASE_URL: database, PORT: new URL(url).port }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [product, ...words, '--organization', organizationId],
    { env: { PATH: process.env['PATH'], ...settings } },
  )
  const [link] = /^http\S+/mu.exec(stdout) ?? []
  if (link === undefined) throw new Error(`no link was printed: ${stdout}`)
  return link
}

async function signIn(browser: Browser, link: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByLabel('New password').fill('seven green boats')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('grid').waitFor()
  await page.close()
  return context
}

/** Milliseconds from the beginning of the navigation until a row is in the page. */
async function timeToRows(page: Page, address: string): Promise<number> {
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (document.querySelector('[role=grid] tbody a') === null) return
    observer.disconnect()
    window.rowsAt = performance.now()
  }).observe(document, { childList: true, subtree: true })`)
  await page.goto(address)
  await page.locator('[role=grid] tbody a').first().waitFor()
  return Number(await page.evaluate('window.rowsAt'))
}

async function measureList(name: string, page: Page): Promise<void> {
  await page.bringToFront()
  await page.evaluate(listenToKeys)
  await page.locator('[role=grid]').focus()
  for (let count = 0; count < presses; count += 1) {
    await page.keyboard.press('ArrowDown')
    await page.waitForTimeout(keyRepeat)
  }
  const keys: number[] = await page.evaluate('window.keyTimes')
  const { frames, rows }: { frames: number[]; rows: number } = await page.evaluate(scroll)
  console.log(`  ${name}: arrow key to paint ${inWords(keys)}; frames ${inWords(frames)}, ${rows} rows scrolled`)
}

function inWords(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((one, other) => one - other)
  const at = (share: number) => percentile(sorted, share).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

// These run in the page: a frame is painted before the message that follows it arrives.
const listenToKeys = `window.keyTimes = []
addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => window.keyTimes.push(performance.now() - timeStamp)
  port2.postMessage(null)
}), true)`

const scroll = `(async () => {
  const scroller = document.querySelector('.grid-scroll')
  const frame = () => new Promise(requestAnimationFrame)
  const frames = []
  const begin = await frame()
  for (let last = begin; last < begin + ${scrollSeconds * 1000};) {
    scroller.scrollTop += ${3 * rowHeight}
    const now = await frame()
    frames.push(now - last)
    last = now
  }
  return { frames, rows: Math.round(scroller.scrollTop / ${rowHeight}) }
})()`

/** A page with a list of so many empty rows, of which it has those in sight. */
const emptyList = (rows: number) => `<div class="grid-scroll" style="height: 700px; overflow: auto">
  <div role="grid" tabindex="0" style="position: relative; height: ${rows * rowHeight}px"></div></div>
<script>
  const scroller = document.querySelector('.grid-scroll')
  const grid = document.querySelector('[role=grid]')
  let active = 0
  const draw = () => grid.replaceChildren(...Array.from({ length: 42 }, (_, index) => {
    const row = document.createElement('div')
    const at = Math.floor(scroller.scrollTop / ${rowHeight}) + index
    row.style.cssText = 'position: absolute; height: ${rowHeight}px; width: 100%; top: ' + at * ${rowHeight} + 'px'
    if (at === active) row.style.background = 'gray'
    return row
  }))
  scroller.addEventListener('scroll', draw)
  grid.addEventListener('keydown', event => {
    event.preventDefault()
    active += 1
    if ((active + 1) * ${rowHeight} > scroller.scrollTop + 700) scroller.scrollTop = (active + 1) * ${rowHeight} - 700
    draw()
  })
  draw()
</script>`
