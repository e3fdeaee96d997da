import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test('records that are there already are found as those that are written from now on', async () => {
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
    delete from schema_migrations where name >= '0028'`)
  expect(await found()).toEqual([[], [], []])
  await migrate(database)
  expect(await found()).toEqual(ids.map(id => [id]))
})
