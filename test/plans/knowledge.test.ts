import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPassages } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { aBase } from '../knowledge/support/knowledge.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { sequentialScans } from './large-tables.ts'
import { executedPlan } from './plan.ts'
import { type RecordedApi, startRecordedApi } from './recorded-api.ts'

const [contents, passages] = [40, 500]

let api: RecordedApi
let organization: TestOrganization
let base = ''
beforeAll(async () => {
  api = await startRecordedApi()
  organization = await anOrganization(api)
  base = await aBase(organization.client)
  await fill(organization.id, base)
  const other = await anOrganization(api)
  await fill(other.id, await aBase(other.client))
  await api.test.database.script('analyze knowledge_files, knowledge_contents, knowledge_passages, knowledge_words')
}, 180_000)
afterAll(() => api.close())

/** Files that are read, with a word that each passage has for itself, one that a hundred have, and one of every third. */
async function fill(organizationId: string, baseId: string): Promise<void> {
  const content = `md5('${organizationId}' || n / ${passages})::uuid`
  const all = contents * passages
  await api.test.database.script(
    `insert into knowledge_files
       select '${organizationId}', ${content}, 1, now(), now(), '${baseId}', 'f' || n, 'a.txt', 'text/plain', 1, '', 'ready',
              null, ${content}
         from generate_series(0, ${all - 1}, ${passages}) as n;
     insert into knowledge_contents
       select '${organizationId}', ${content}, '${baseId}', ${passages} from generate_series(0, ${all - 1}, ${passages}) as n;
     insert into knowledge_passages
       select '${organizationId}', ${content}, n % ${passages}, '${baseId}', 'text', '', null, null, null, 3,
              array_to_tsvector(array['lighthous' || n,
                'tower' || translate((n / 100)::text, '0123456789', 'abcdefghij'),
                case when n % 3 = 0 then 'common' else 'rare' end])
         from generate_series(0, ${all - 1}) as n;
     insert into knowledge_words
       select '${organizationId}', '${baseId}', w.word, count(*)
         from knowledge_passages p, unnest(tsvector_to_array(p.words)) as w(word)
        where p.organization_id = '${organizationId}' group by w.word`,
  )
}

test.each([
  ['a word of one passage', 'lighthous123', 5, 3000],
  ['a word with a mistake', 'towwerbc', 5, 3000],
  ['words of many passages', 'common towerbc', 5, 6000],
  // If so many words are nearly the same, the right one may not be among those that are compared.
  ['a word with a mistake that resembles 20,000 others', 'lihgthous4567', 0, 3000],
])('a search for %s among 20,000 passages does not read all', async (_, question, found, pages) => {
  const asked = { organizationId: organization.id, baseId: base, question, limit: 5 }
  const sent = await api.recorded(async () => {
    expect((await findPassages(asked, api.services))?.length).toBeGreaterThanOrEqual(found)
  })
  const plans = await Promise.all(sent.map(each => executedPlan(api.test.database, each)))
  expect(plans.flatMap(sequentialScans)).toEqual([])
  expect(Math.max(...plans.map(plan => plan.pages))).toBeLessThanOrEqual(pages)
})
