import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchForm } from '../../server/src/kernel/schema/index.ts'
import { migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { aRecord, kinds, plurals } from '../conformance/support/requests.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const undo = `delete from schema_migrations where name like '0028%'`

/** The form in which texts were kept before kinds of quotes, apostrophes, dashes and sigmas were taken for one. */
const formerForm = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()

test('existing records are found in the same way as new ones', async () => {
  const { client } = await anOrganization(api)
  const { database } = api.test
  const company = (name: string) => client.post('/companies', { name })
  const made = [await company('ООО «Ромашка»'), await company('Πασχάλης'), await company('O’Brien – “Sons”')]
  const ids = made.map(({ data }) => data.id)
  const found = async () => {
    const queries = ['ооо "ромашка"', 'ΠΑΣΧΆΛΗΣ', 'O\'Brien - "Sons"']
    const answers = await Promise.all(queries.map(q => client.get(`/companies?search=${encodeURIComponent(q)}`)))
    return answers.map(({ items }) => items.map(({ id }) => id))
  }
  expect(await found()).toEqual(ids.map(id => [id]))

  await database.script(`
    update companies set search_names = case name
      when 'ООО «Ромашка»' then 'ооо «ромашка»' when 'Πασχάλης' then 'πασχαλης' else 'o’brien – “sons”' end;
    ${undo}`)
  expect(await found()).toEqual([[], [], []])
  await migrate(database)
  expect(await found()).toEqual(ids.map(id => [id]))
})

test('each character that has another form now has it in every searched text of every kind', async () => {
  const organization = await anOrganization(api)
  const { database } = api.test
  const characters = Array.from({ length: 0x1_00_00 }, (_, code) => `a${String.fromCharCode(code)}b`)
  const changed = characters.filter(each => formerForm(each) !== searchForm(each)).join(' ')
  const tables = kinds.map(kind => plurals[kind])
  for (const kind of kinds) await aRecord(kind, organization)
  const former = formerForm(changed).replaceAll("'", "''")
  const texts = ['search_names', 'search_contact_data', 'search_custom_fields']
  for (const table of tables)
    await database.script(`update ${table} set ${texts.map(text => `${text} = '${former}'`).join(', ')}`)
  await database.script(undo)
  await migrate(database)

  for (const table of tables) {
    const select = statement(
      `test_searched_${table}`,
      `select ${texts.join(', ')} from ${table} where organization_id = $1`,
    )
    for (const row of await database.search(select, [organization.id]))
      expect([table, Object.values(row)]).toEqual([table, texts.map(() => searchForm(changed))])
  }
})
