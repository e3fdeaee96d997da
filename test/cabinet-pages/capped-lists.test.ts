import { expect, test } from 'vitest'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test('a count that ended early says so, and one of all records can be ended and begun anew', async () => {
  const { page, open, expectClean, close } = await given.person(await given.organization())
  const answers = [undefined, { count: 12_345, isExact: true, capped: null }]
  await page.route('**/counts/contacts?*', async route => {
    const isExact = new URL(route.request().url()).searchParams.get('exact') === 'true'
    const data = isExact ? answers.shift() : { count: 10_000, isExact: false, capped: 'rows' }
    if (data !== undefined) await route.fulfill({ json: { data } })
  })
  const ended: string[] = []
  page.on('requestfailed', request => ended.push(new URL(request.url()).pathname))
  await open('/contacts')
  const capped = page.getByRole('button', { name: '10,000+', exact: true })
  await capped.click()
  const counting = page.getByRole('button', { name: '10,000+, stop counting' })
  await counting.waitFor()
  await expectClean()
  await counting.press('Enter')
  await expect.poll(() => ended.some(path => path.endsWith('/counts/contacts'))).toBe(true)
  await capped.press('Enter')
  await page.getByText('12,345', { exact: true }).waitFor()
  expect(answers).toEqual([])
  await close()
})

test('a list whose search was ended early says how many records it went through, and goes on when it is asked to', async () => {
  const { page, open, expectClean, close } = await given.person(await given.organization())
  const following = new Map([
    [null, 'second'],
    ['second', 'third'],
  ])
  await page.route('**/crm/contacts?*', async route => {
    const cursor = new URL(route.request().url()).searchParams.get('cursor')
    const nextCursor = following.get(cursor) ?? null
    await route.fulfill({ json: { data: [], meta: { nextCursor, truncated: nextCursor !== null } } })
  })
  await open('/contacts?search=nobody')
  await page.getByText('Looked through 20,000').waitFor()
  await page.getByRole('heading', { name: 'Nothing found so far' }).waitFor()
  await expectClean()
  await page.getByRole('button', { name: 'Look further' }).click()
  await page.getByText('Looked through 40,000').waitFor()
  await page.getByRole('button', { name: 'Look further' }).press('Enter')
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  await close()
})
