import { expect, it, onTestFinished, vi } from 'vitest'
import { findPassages } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { knowledgeBounds } from '../../server/src/ai-agents/knowledge-bases/knowledge-bounds.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import { Sandboxes } from '../../server/src/kernel/sandbox/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { expectStatus } from '../conformance/support/imports.ts'
import { startWorker } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { pdfOf } from './support/documents.ts'
import { aBase, basesPath, indexFiles, putFile, readFile } from './support/knowledge.ts'

// Tables are filled here until rows lie in the order in which they came.
const given = useApi({ ownDatabase: true })

async function find({ id }: TestOrganization, baseId: string, question: string) {
  const asked = { organizationId: id, baseId, question, limit: 10 }
  return (await findPassages(asked, given.api.services)) ?? []
}

const chunk = knowledgeBounds.knowledgeChunk.most
const rows = 2 * chunk + chunk / 2

it('as many files are read at a time as there are places, one of each organization', async () => {
  // Long enough that others would be seen beside it.
  const content = pdfOf([`${'q Q '.repeat(100_000)} BT /F1 11 Tf 1 0 0 1 50 700 Tm <00630064> Tj ET`])
  const bases: [TestOrganization, string][] = []
  while (bases.length < 4) {
    const organization = await given.organization()
    const base = await aBase(organization.client)
    bases.push([organization, base])
    expectStatus(await putFile(organization.client, { base, id: 'f', name: 'a.pdf', content }), 200)
  }
  let [most, reading] = [0, 0]
  const { run } = Sandboxes.prototype
  const counted = vi.spyOn(Sandboxes.prototype, 'run').mockImplementation(function (
    this: Sandboxes,
    queue,
    waiting,
    work,
  ) {
    return run.call(this, queue, waiting, async read => {
      reading += 1
      most = Math.max(most, reading)
      return work(read).finally(() => void (reading -= 1))
    })
  })
  onTestFinished(() => counted.mockRestore())
  const worker = startWorker(given.api)
  await until('all to be read', async () => {
    const asked = await Promise.all(bases.map(([{ client }, base]) => client.get(`${basesPath}/${base}`)))
    return asked.every(({ data }) => data.status === 'ready')
  })
  await worker.stop()
  expect(most).toBe(bounds.processReaders.most)
})

it('an organization has a bounded number of bytes of files, however many are sent to its knowledge bases at the same time', async () => {
  const { client } = await given.organization()
  const bases = await Promise.all(Array.from({ length: 8 }, (_, index) => aBase(client, `Help ${index}`)))
  const content = 'Tea is hot.'
  setBound(knowledgeBounds.organizationKnowledgeBytes, 2 * content.length)
  const answers = await Promise.all(bases.map(base => putFile(client, { base, id: 'f', name: 'a.txt', content })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, ...bases.slice(2).map(() => 422)])
})

it('passages are stored and removed in portions', async () => {
  const { client, id } = await given.organization()
  const base = await aBase(client)
  const content = ['a', ...Array.from({ length: rows }, (_, row) => `common${row}`)].join('\n')
  await readFile(given.api, client, { base, id: 'f', name: 'a.csv', content })
  const stored = await given.sql(
    `select count(*)::integer as count from knowledge_passages p where p.organization_id = $1
      group by p.xmin order by min(p.number)`,
    [id],
  )
  expect(stored.map(({ count }) => count)).toEqual([chunk, chunk, chunk / 2])

  expectStatus(await client.delete(`${basesPath}/${base}/files/f`), 200)
  const query = vi.spyOn(given.api.services.database, 'query')
  await indexFiles(given.api)
  const removals = query.mock.calls.flatMap(([{ name }], index) =>
    name === 'remove_knowledge_passages' ? [query.mock.settledResults[index]?.value] : [],
  )
  query.mockRestore()
  const removed = removals.flatMap(found => (Array.isArray(found) ? found.map(({ passages }) => passages) : []))
  expect(removed).toEqual([chunk, chunk, chunk / 2, 0])
})

it('a search compares a bounded number of words of a base with one of a question', async () => {
  const organization = await given.organization()
  const base = await aBase(organization.client)
  // Longer than the one that is meant, which comes last.
  await given.sql(
    `insert into knowledge_words (organization_id, knowledge_base_id, word, passages)
     select $1, $2, 'a' || lpad(n::text, 12, '0') || 'term', 1 from generate_series(1, $3::integer) as n returning word`,
    [organization.id, base, knowledgeBounds.knowledgeWords.most],
  )
  await readFile(given.api, organization.client, { base, id: 'f', name: 'a.txt', content: 'zzxyzwvterm' })
  expect(await find(organization, base, 'zzxyzwvterm')).toHaveLength(1)
  expect(await find(organization, base, 'term')).toEqual([])
  await given.sql("delete from knowledge_words where organization_id = $1 and word like 'a0%1term' returning word", [
    organization.id,
  ])
  expect(await find(organization, base, 'term')).toHaveLength(1)
})

it('a search ranks a bounded number of passages, those with the rarest words of the question first', async () => {
  const organization = await given.organization()
  const { client } = organization
  const most = knowledgeBounds.knowledgeCandidates.most
  const commons = (rows: number) => Array.from({ length: rows }, () => 'common')
  // It fits best, and is stored last.
  const best = { id: 'best', name: 'b.md', content: '# common\n\ncommon' }
  const [base, fuller] = [await aBase(client), await aBase(client)]
  const rows = ['a', 'rare', ...commons(most - 1)].join('\n')
  await readFile(given.api, client, { base, id: 'f', name: 'a.csv', content: rows })
  expect(await find(organization, base, 'common rare')).toHaveLength(10)
  await readFile(given.api, client, { base, ...best })
  expect(await find(organization, base, 'common rare')).toMatchObject([{ text: 'a: rare' }])
  expect((await find(organization, base, 'common'))[0]).toMatchObject({ fileId: 'best' })

  const more = ['a', ...commons(most)].join('\n')
  await readFile(given.api, client, { base: fuller, id: 'f', name: 'a.csv', content: more })
  await readFile(given.api, client, { base: fuller, ...best })
  const found = await find(organization, fuller, 'common')
  expect(found.map(({ fileId }) => fileId)).toEqual(Array(10).fill('f'))
})
