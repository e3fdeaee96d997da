import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aContact } from '../support/builders.ts'
import { useCabinetInChromium } from './support/cabinet-in-chromium.ts'
import { untranslated } from './support/untranslated.ts'

const given = useCabinetInChromium()

const setLocale = statement('test_set_locale_of_second', 'update users set locale = $2 where id = $1')

test('of two people who edit a record, the second is shown what the first wrote, and nothing is lost', async () => {
  const organization = await given.organization()
  const { data } = await organization.client.post('/contacts', aContact({ jobTitle: 'Buyer', source: 'website' }))
  const [first, second] = [
    await given.person(organization, { name: 'Hanna Berg' }),
    await given.person(organization, { name: 'Kenji Mori' }),
  ]
  for (const { open, page } of [first, second]) {
    await open(`/contacts/${data.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Job title').waitFor()
  }
  await first.page.getByLabel('Job title').fill('Purchasing lead')
  await first.page.getByLabel('Source').fill('trade fair')
  await first.page.getByRole('button', { name: 'Save' }).click()
  await first.page.getByText('Saved:').waitFor()

  await second.page.getByLabel('Job title').fill('Director')
  await second.page.getByLabel('Middle name').fill('Maria')
  await second.page.getByRole('button', { name: 'Save' }).click()
  const dialog = second.page.getByRole('dialog', { name: 'Not saved' })
  await dialog.waitFor()
  const row = (field: string) => dialog.getByRole('row', { name: field }).innerText()
  expect(await row('Job title')).toMatch(/Buyer\s+Purchasing lead\s+Director/u)
  expect(await row('Source')).toMatch(/website\s+trade fair\s+not changed\s+Theirs/u)
  expect(await row('Middle name')).toMatch(/not changed\s+Maria\s+Mine/u)
  expect(await dialog.innerText()).toContain('Hanna Berg changed')
  await second.expectClean()
  // What was typed is a draft, which a reload finds again, in each language.
  for (const [language, edit, label, save, title] of [
    ['de', /bearbeiten$/u, 'Position', 'Speichern', 'Nicht gespeichert'],
    ['ru', /^Изменить/u, 'Должность', 'Сохранить', 'Не сохранено'],
    ['en', /^Edit/u, 'Job title', 'Save', 'Not saved'],
  ] as const) {
    await given.api().test.database.query(setLocale, [second.user.id, language])
    given.api().services.authentication.sessions.forget()
    await second.page.reload()
    await second.page.getByRole('dialog', { name: edit }).waitFor()
    expect(await second.page.getByLabel(label).inputValue()).toBe('Director')
    await second.page.getByRole('button', { name: save }).click()
    await second.page.getByRole('dialog', { name: title }).waitFor()
    if (language !== 'en') expect(await untranslated(second.page, language, [])).toEqual([])
  }

  // The keyboard alone decides and saves.
  await dialog.getByRole('radio', { name: 'Mine' }).focus()
  await second.page.keyboard.press('Space')
  await expect.poll(() => dialog.getByRole('button', { name: /^Save as/u }).isEnabled()).toBe(true)
  await dialog.getByRole('button', { name: /^Save as/u }).press('Enter')
  await second.page.getByText('Saved:').waitFor()
  const saved = await organization.client.get(`/contacts/${data.id}`)
  expect(saved.data).toMatchObject({ jobTitle: 'Director', source: 'trade fair', middleName: 'Maria', version: 3 })
  expect([first.problems, second.problems]).toEqual([[], []])
})
