import { expect, test } from 'vitest'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'

const given = useCabinetInChromium()

test.each([
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['forced', { forcedColors: 'active' }],
  ['narrow', { viewport: { width: 375, height: 700 } }],
] as const)('axe finds nothing in any component, nor in what it opens: %s', async (_, options) => {
  const { page, expectClean, close } = await given.tab(undefined, options)
  await page.goto('/cabinet/components')
  await page.getByRole('heading', { level: 1, name: 'Components' }).waitFor()
  await expectClean()
  for (const [name, role] of [
    ['Menu', 'menu'],
    ['Dialog', 'dialog'],
    ['Sheet', 'dialog'],
    ['Hidden', 'dialog'],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole(role).waitFor()
    await expectClean()
    await page.keyboard.press('Escape')
    await page.getByRole(role).waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: /Stage/u }).click()
  await page.getByRole('option', { name: 'Won' }).click()
  await page.getByRole('button', { name: /Won/u }).waitFor()
  await expectClean()
  await close()
})

test('a menu, a select and a combo box are worked with the keyboard alone', async () => {
  const { page, close } = await given.tab()
  await page.goto('/cabinet/components')
  await page.getByRole('button', { name: 'Menu', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /Stage/u }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'Qualified' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /Won/u }).waitFor()
  await page.getByRole('combobox', { name: 'Company' }).focus()
  await page.keyboard.type('blue')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('combobox', { name: 'Company' }).inputValue()).toBe('Blue Harbor Foods')
  await close()
})
