import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const undo = `
  drop table import_outcomes;
  alter table imports drop column rows_file_id;
  delete from schema_migrations where name like '0031%'`

const phones = [
  ...[
    '1-800-FLOWERS',
    '1–800–FLOWERS',
    '8 (800) доб. 12',
    '123 ÉTAGE',
    '１２３４５６７８９ ０',
    'ΤΗΛ. 12',
    '(12',
    '999-999-9999-9999-9999',
  ],
  ...['+1 202 555 0143', '059-1234x9999', 'see above', "d'accord", '999-999-9999-9999-9999 ext'],
]

test.each(['contacts', 'companies'])('existing %s are found in the same way as new ones', async path => {
  const organization = await anOrganization(api)
  const { client } = organization
  const { database } = api.test
  const [named, table] = path === 'contacts' ? ['firstName', 'contacts'] : ['name', 'companies']
  const emails = [{ value: 'anna@example.com' }]
  for (const [index, value] of phones.entries())
    await client.post(`/${path}`, { [named]: `A ${index}`, contactData: { emails, phones: [{ value }] } })
  await client.post(`/${path}`, { [named]: 'All', contactData: { phones: phones.map(value => ({ value })) } })
  await client.post(`/${path}`, { [named]: 'None' })
  const select = statement(
    `test_words_of_phones_${table}`,
    `select id, (select array_agg(w order by w) from unnest(string_to_array(search_contact_data, ' ')) as w) as words
       from ${table} where organization_id = $1 order by id`,
  )
  const kept = await database.search(select, [organization.id])
  expect(kept).toHaveLength(phones.length + 2)
  // As it was before: addresses and digits.
  await database.script(`
    update ${table} set search_contact_data = array_to_string(array(
      select w from unnest(string_to_array(search_contact_data, ' ')) as w where w ~ '@|^[0-9]{3,}$'), ' ');
    ${undo}`)
  expect(await database.search(select, [organization.id])).not.toEqual(kept)
  await migrate(database)
  expect(await database.search(select, [organization.id])).toEqual(kept)
})
