import { expect, it } from 'vitest'
import { knowledgeBases } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { indexJob } from '../../server/src/ai-agents/knowledge-bases/indexing/index-job.ts'
import { storePassages } from '../../server/src/ai-agents/knowledge-bases/indexing/store-passages.ts'
import { knowledgeBounds } from '../../server/src/ai-agents/knowledge-bases/knowledge-bounds.ts'
import { aContext } from '../conformance/support/bulk-jobs.ts'
import { useApi } from '../conformance/support/given.ts'
import { expectStatus } from '../conformance/support/imports.ts'
import { startWorker } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { readersOf } from '../support/readers.ts'
import { until } from '../support/waiting.ts'
import { pdfOf } from './support/documents.ts'
import { aBase, basesPath, indexFiles, putFile, readFile } from './support/knowledge.ts'

const given = useApi()

/** The content that the only file of an organization has, and how many passages of it are stored. */
async function contentOf({ id }: TestOrganization) {
  const [row] = await given.sql(
    `select f.content_id as id, f.id as "fileId", f.knowledge_base_id as "baseId",
            (select count(*)::integer from knowledge_passages p where p.organization_id = $1) as passages
       from knowledge_files f where f.organization_id = $1`,
    [id],
  )
  const { id: contentId, fileId, baseId, passages } = row ?? {}
  return { id: String(contentId), fileId: String(fileId), baseId: String(baseId), passages: Number(passages) }
}

it('passages that another worker has stored meanwhile are not stored again', async () => {
  const organization = await given.organization()
  const base = await aBase(organization.client)
  await readFile(given.api, organization.client, { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' })
  const { passages, ...content } = await contentOf(organization)
  const again = [{ text: 'The lighthouse is red.', heading: '', page: null, row: null }]
  const words = { name: 'a.txt', language: 'english' } as const
  const context = aContext(given.api, organization)
  expect([passages, await storePassages(content, again, 0, words, context)]).toEqual([1, false])
  expect((await contentOf(organization)).passages).toBe(1)
  expect(await storePassages(content, again, 1, words, context)).toBe(true)
  expect((await contentOf(organization)).passages).toBe(2)
})

it('a job that is to stop stores no more, and the next one goes on there', async () => {
  const organization = await given.organization()
  const { client } = organization
  const base = await aBase(client)
  const rows = Array.from({ length: 6 * knowledgeBounds.knowledgeChunk.most }, (_, row) => `common${row}`)
  expectStatus(await putFile(client, { base, id: 'f', name: 'a.csv', content: ['a', ...rows].join('\n') }), 200)
  const { id: contentId } = await contentOf(organization)
  const stop = new AbortController()
  const { services } = given.api
  let asked = 0
  // Each portion asks what time it is.
  const now = () => {
    asked += 1
    if (asked === 3) stop.abort()
    return services.clock.now()
  }
  const stopping = { services: { ...services, clock: { now } } }
  expect(await indexJob.run({ contentId }, aContext(stopping, organization, stop.signal))).toBe('again')
  const { passages } = await contentOf(organization)
  expect([passages > 0, passages < rows.length]).toEqual([true, true])
  await indexFiles(given.api)
  expect((await contentOf(organization)).passages).toBe(rows.length)
})

it('a file that could not be read in several attempts has failed, and says so', async () => {
  const organization = await given.organization()
  const { client } = organization
  const base = await aBase(client)
  const sent = { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' }
  expectStatus(await putFile(client, sent), 200)
  const { id: contentId } = await contentOf(organization)
  await indexJob.giveUp?.(
    { contentId },
    { ...aContext(given.api, organization), isLastAttempt: true },
    new Error('away'),
  )
  expect((await client.get(`${basesPath}/${base}/files`)).items).toMatchObject([
    { status: 'failed', error: { code: 'internal_error', message: expect.stringContaining('upload it again') } },
  ])
  expect(await readFile(given.api, client, sent)).toMatchObject({ status: 'ready', error: null })
})

it('the rest of a removed file is removed later when its removal was interrupted', async () => {
  const organization = await given.organization()
  const { client } = organization
  const base = await aBase(client)
  await readFile(given.api, client, { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' })
  const { id: contentId } = await contentOf(organization)
  expectStatus(await client.delete(`${basesPath}/${base}/files/f`), 200)
  await given.sql("delete from graphile_worker._private_jobs where key like 'knowledge_removal/%' returning id")
  await indexFiles(given.api)
  const left = () => given.sql('select id from knowledge_contents where organization_id = $1', [organization.id])
  expect(await left()).toEqual([{ id: contentId }])
  for (const upkeep of knowledgeBases.upkeep ?? []) await upkeep.run(given.api.services, new AbortController().signal)
  await indexFiles(given.api)
  expect(await left()).toEqual([])
})

it('the process that reads a file knows nothing of the environment of the server', async () => {
  const organization = await given.organization()
  const base = await aBase(organization.client)
  const content = pdfOf([`${'q Q '.repeat(200_000)} BT /F1 11 Tf 1 0 0 1 50 700 Tm <00630064> Tj ET`])
  expectStatus(await putFile(organization.client, { base, id: 'f', name: 'a.pdf', content }), 200)
  const worker = startWorker(given.api)
  const reader = await until('a process that reads', async () => (await readersOf(process.pid))[0])
  // Nobody goes on with it.
  expectStatus(await organization.client.delete(`${basesPath}/${base}`), 200)
  await worker.stop()
  expect(reader.command).toContain('NODE_CHANNEL_FD=')
  expect(reader.command).not.toContain('PATH=')
})
