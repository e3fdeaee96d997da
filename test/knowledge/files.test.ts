import { describe, expect, it } from 'vitest'
import { type FoundPassage, findPassages, knowledgeBases } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { knowledgeBounds } from '../../server/src/ai-agents/knowledge-bases/knowledge-bounds.ts'
import { limits } from '../../server/src/kernel/index.ts'
import { agentsPath, anAgent } from '../conformance/support/agent-requests.ts'
import { useApi } from '../conformance/support/given.ts'
import { expectStatus } from '../conformance/support/imports.ts'
import { issuePaths } from '../conformance/support/requests.ts'
import { sha256 } from '../conformance/support/uploads.ts'
import { startWorker } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { aDocument, aPage, aPdf, aSheet, documentOf } from './support/documents.ts'
import { aBase, basesPath, indexFiles, putFile, readFile } from './support/knowledge.ts'

const given = useApi()

async function find({ id }: TestOrganization, baseId: string, question: string): Promise<readonly FoundPassage[]> {
  const asked = { organizationId: id, baseId, question, limit: 10 }
  return (await findPassages(asked, given.api.services)) ?? []
}

const lines = ['# Deliveries', 'Parcels leave on the same day.', '# Returns', 'Goods may come back for thirty days.']

describe('a file of each kind is found with its place', () => {
  it.each([
    [
      'a.pdf',
      aPdf([['Parcels leave on the same day.'], ['# Returns', 'Goods may come back for thirty days.']]),
      'application/pdf',
      { page: 2, heading: 'Returns', row: null },
    ],
    [
      'a.docx',
      aDocument(lines),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      { heading: 'Returns', position: 1 },
    ],
    [
      'a.xlsx',
      aSheet([
        ['What', 'How long'],
        ['Parcels', 'one day'],
        ['Goods', 'thirty days'],
      ]),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      { sheet: 'People', row: 3 },
    ],
    ['a.html', aPage(lines), 'text/html', { heading: 'Returns' }],
    ['a.md', lines.join('\n\n'), 'text/markdown', { heading: 'Returns' }],
    ['a.csv', 'What,How long\nParcels,one day\nGoods,thirty days\n', 'text/csv', { row: 3, sheet: null }],
    ['a.txt', Buffer.from('Goods may come back for thirty days.', 'utf16le'), null, null],
    [
      'b.txt',
      'Parcels leave on the same day.\n\nGoods may come back for thir-\nty days.',
      'text/plain',
      { position: 0 },
    ],
  ])('%s', async (name, content, mimeType, place) => {
    const organization = await given.organization()
    const base = await aBase(organization.client)
    if (mimeType === null) {
      expect((await putFile(organization.client, { base, id: 'f', name, content })).status).toBe(422)
      return
    }
    const file = await readFile(given.api, organization.client, { base, id: 'f', name, content })
    expect(file).toMatchObject({ id: 'f', name, mimeType, status: 'ready', error: null })
    const [first] = await find(organization, base, 'How many days for goods?')
    expect(first).toMatchObject({ fileId: 'f', fileName: name, ...place })
    expect(first?.text).toContain('thirty days')
  })
})

describe('text that a reader does not see is not found', () => {
  const hidden = ['titleword', 'styleword', 'scriptword', 'templateword', 'plainword', 'drawnword', 'optionword']
  const page = `<!doctype html><html><head><title>titleword</title><style>.styleword {}</style></head><body>
    <p>Seenword</p><script>scriptword()</script><template>templateword</template><noscript>plainword</noscript>
    <svg><text>drawnword</text></svg><select><option>optionword</option></select><p>lastword</p></body></html>`
  const words = (name: string, text: string) => `<w:r><w:${name}>${text}</w:${name}></w:r>`
  const revised = [
    `<w:p><w:del>${words('delText', 'deletedword')}</w:del>${words('t', 'Seenword')}</w:p>`,
    `<w:p><Choice>${words('t', 'lastword')}</Choice><Fallback>${words('t', 'oldword')}</Fallback></w:p>`,
  ]
  it.each<[string, string | Buffer, readonly string[]]>([
    ['a.html', page, hidden],
    ['a.docx', documentOf(revised.join('')), ['deletedword', 'oldword']],
  ])('in %s', async (name, content, unseen) => {
    const organization = await given.organization()
    const base = await aBase(organization.client)
    await readFile(given.api, organization.client, { base, id: 'f', name, content })
    for (const word of ['seenword', 'lastword']) expect(await find(organization, base, word)).toHaveLength(1)
    for (const word of unseen) expect(await find(organization, base, word)).toEqual([])
  })
})

describe('a base', () => {
  it('is shown with every member, and has the worst status of its files', async () => {
    const { client } = await given.organization()
    const made = await client.post(basesPath, { name: ' Help ', description: 'Shop' })
    const [id, time] = [expect.any(String), expect.stringMatching(/Z$/u)]
    const counts = { filesCount: 0, sizeBytes: 0, agentsCount: 0 }
    const shown = { id, name: 'Help', description: 'Shop', ...counts, status: 'ready', agents: [] }
    expect([made.status, made.body]).toEqual([
      201,
      { status: 'OK', data: { ...shown, createdAt: time, updatedAt: time } },
    ])
    const base = String(made.data.id)
    const statusOf = async () => (await client.get(`${basesPath}/${base}`)).data.status
    await readFile(given.api, client, { base, id: 'good', name: 'a.txt', content: 'The lighthouse is red.' })
    await readFile(given.api, client, { base, id: 'bad', name: 'a.pdf', content: '%PDF-1.7' })
    expect(await statusOf()).toBe('error')
    await putFile(client, { base, id: 'next', name: 'b.txt', content: 'The harbour is red.' })
    expect(await statusOf()).toBe('indexing')
    await indexFiles(given.api)
    expect(await statusOf()).toBe('error')
    await client.delete(`${basesPath}/${base}/files/bad`)
    expect(await statusOf()).toBe('ready')
  })
})

describe('a file', () => {
  it('is shown with every member, has the id that its client chose, and stands in the list by its age', async () => {
    const { client } = await given.organization()
    const base = await aBase(client)
    const id = `A1._:-${'x'.repeat(94)}`
    const { status, body } = await putFile(client, { base, id, name: 'a.txt', content: 'Tea is hot.' })
    const time = expect.stringMatching(/Z$/u)
    const file = {
      id,
      name: 'a.txt',
      mimeType: 'text/plain',
      sizeBytes: 11,
      status: 'queued',
      error: null,
      sha256: sha256('Tea is hot.'),
      createdAt: time,
      updatedAt: time,
    }
    expect([status, body]).toEqual([200, { status: 'OK', data: file }])
    given.clock.advance(1000)
    await putFile(client, { base, id: 'newer', name: 'b.txt', content: 'Tea is green.' })
    const { items } = await client.get(`${basesPath}/${base}/files`)
    expect(items.map(listed => listed.id)).toEqual(['newer', id])
    for (const wrong of ['a b', 'a/b', 'ä', `${id}x`]) {
      const refused = await putFile(client, { base, id: encodeURIComponent(wrong), name: 'a.txt', content: 'Tea' })
      expect([refused.status, issuePaths(refused)]).toEqual([400, ['path:fileId']])
    }
  })

  it('with the same bytes is not read again, with others it is, and the base counts exactly', async () => {
    const organization = await given.organization()
    const { client } = organization
    const base = await aBase(client)
    const sent = { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' }
    const first = await readFile(given.api, client, sent)
    given.clock.advance(60_000)
    const again = expectStatus(await putFile(client, sent), 200)
    expect(again).toEqual(first)
    expect(expectStatus(await putFile(client, { ...sent, name: 'b.txt' }), 200)).toMatchObject({
      name: 'b.txt',
      status: 'ready',
      createdAt: first.createdAt,
    })
    await putFile(client, { base, id: 'g', name: 'g.txt', content: 'Twelve' })
    const changed = expectStatus(await putFile(client, { ...sent, content: 'The windmill is blue.' }), 200)
    expect(changed).toMatchObject({ status: 'queued', createdAt: first.createdAt })
    expect((await client.get(`${basesPath}/${base}`)).data).toMatchObject({ status: 'indexing' })
    expect(await find(organization, base, 'lighthouse')).toEqual([])
    await indexFiles(given.api)
    expect((await client.get(`${basesPath}/${base}`)).data).toMatchObject({
      filesCount: 2,
      sizeBytes: 21 + 6,
      status: 'ready',
    })
    expect(await find(organization, base, 'lighthouse')).toEqual([])
    expect(await find(organization, base, 'windmill')).toMatchObject([{ text: 'The windmill is blue.' }])
    expect(await leftOf(organization)).toEqual({ files: 2, contents: 2, passages: 2, words: 4 })
  })

  it('that is removed is no longer found at once, and leaves nothing later', async () => {
    const organization = await given.organization()
    const { client } = organization
    const base = await aBase(client)
    await readFile(given.api, client, { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' })
    await readFile(given.api, client, { base, id: 'g', name: 'g.txt', content: 'The harbour is red.' })
    const removed = await client.delete(`${basesPath}/${base}/files/f`)
    expect(removed.data).toEqual({ accepted: true, id: 'f' })
    expect(await find(organization, base, 'lighthouse')).toEqual([])
    expect((await client.get(`${basesPath}/${base}`)).data).toMatchObject({ filesCount: 1, sizeBytes: 19 })
    await indexFiles(given.api)
    expect(await leftOf(organization)).toEqual({ files: 1, contents: 1, passages: 1, words: 3 })
    expectStatus(await client.delete(`${basesPath}/${base}`), 200)
    await indexFiles(given.api)
    expect(await leftOf(organization)).toEqual({ files: 0, contents: 0, passages: 0, words: 0 })
    expect((await client.delete(`${basesPath}/${base}/files/g`)).status).toBe(404)
  })

  it('of hundreds of passages goes on where it was stopped, and each word is counted once', async () => {
    const organization = await given.organization()
    const { client, id } = organization
    const base = await aBase(client)
    const rows = Array.from({ length: 2500 }, (_, index) => `word${index},common`)
    expectStatus(await putFile(client, { base, id: 'f', name: 'a.csv', content: ['a,b', ...rows].join('\n') }), 200)
    const worker = startWorker(given.api)
    await until('the first passages', async () => {
      const [row] = await given.sql(
        'select sum(passages) as stored from knowledge_contents where organization_id = $1',
        [id],
      )
      return Number(row?.stored) > 0
    })
    await worker.stop()
    await indexFiles(given.api)
    expect((await client.get(`${basesPath}/${base}/files`)).items).toMatchObject([{ status: 'ready' }])
    const [counted] = await given.sql(
      `select (select sum(passages)::integer from knowledge_contents where organization_id = $1) as told,
              (select count(*)::integer from knowledge_passages where organization_id = $1) as stored,
              (select passages from knowledge_words where organization_id = $1 and word = 'common') as common`,
      [id],
    )
    expect(counted).toEqual({ told: 2500, stored: 2500, common: 2500 })
    expect((await find(organization, base, 'word1234'))[0]).toMatchObject({ row: 1236 })
  })

  it('is found when all of it is stored, and not before', async () => {
    const organization = await given.organization()
    const { client, id } = organization
    const base = await aBase(client)
    await readFile(given.api, client, { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' })
    const is = async (status: string) => {
      await given.sql('update knowledge_files set status = $2 where organization_id = $1', [id, status])
      const told = (await client.get(`${basesPath}/${base}`)).data.status
      return [told, (await find(organization, base, 'lighthouse')).length]
    }
    expect(await is('indexing')).toEqual(['indexing', 0])
    expect(await is('failed')).toEqual(['error', 0])
    expect(await is('ready')).toEqual(['ready', 1])
  })

  it('that nobody works on is queued again', async () => {
    const { client } = await given.organization()
    const base = await aBase(client)
    await putFile(client, { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' })
    await given.sql("delete from graphile_worker._private_jobs where key like 'knowledge_index/%' returning id")
    await indexFiles(given.api)
    expect((await client.get(`${basesPath}/${base}`)).data.status).toBe('indexing')
    for (const upkeep of knowledgeBases.upkeep ?? []) await upkeep.run(given.api.services, new AbortController().signal)
    await indexFiles(given.api)
    expect((await client.get(`${basesPath}/${base}`)).data.status).toBe('ready')
  })

  it('that is gone from the store fails, and the same bytes mend it', async () => {
    const { client, id } = await given.organization()
    const base = await aBase(client)
    const sent = { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' }
    expectStatus(await putFile(client, sent), 200)
    const [file] = await given.sql('select content_id as id from knowledge_files where organization_id = $1', [id])
    await given.api.services.files.discard([{ organizationId: id, purpose: 'knowledge', id: String(file?.id) }])
    await indexFiles(given.api)
    expect((await client.get(`${basesPath}/${base}/files`)).items).toMatchObject([
      { status: 'failed', error: { code: 'file_missing' } },
    ])
    expect(await readFile(given.api, client, sent)).toMatchObject({ status: 'ready', error: null })
  })

  it('has audit entries of its own', async () => {
    const { client } = await given.organization()
    const base = await aBase(client)
    await readFile(given.api, client, { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' })
    await client.delete(`${basesPath}/${base}/files/f`)
    const { items } = await client.get('/audit')
    expect(items.map(({ resourceType, action }) => [resourceType, action])).toEqual([
      ['knowledge_file', 'knowledge_file.deleted'],
      ['knowledge_file', 'knowledge_file.created'],
      ['knowledge_base', 'knowledge_base.created'],
    ])
  })
})

describe('a base that an agent uses', () => {
  it('names the agent, and is removed when that is confirmed', async () => {
    const { client } = await given.organization()
    const [base, other] = [await aBase(client), await aBase(client)]
    const { data: agent } = await client.post(agentsPath, anAgent({ knowledgeBaseIds: [base, other] }))
    const user = { id: agent.id, name: agent.name }
    expect((await client.get(`${basesPath}/${base}`)).data.agents).toEqual([user])
    const refused = await client.delete(`${basesPath}/${base}`)
    expect([refused.status, refused.error.code]).toEqual([409, 'resource_in_use'])
    expect(refused.details).toEqual({ usedBy: [{ type: 'agent', ...user }], confirm: 'confirmed=true' })
    expectStatus(await client.delete(`${basesPath}/${base}?confirmed=true`), 200)
    expect((await client.get(`${agentsPath}/${String(agent.id)}`)).data.knowledgeBaseIds).toEqual([other])
    expect((await client.get(`${basesPath}/${base}`)).status).toBe(404)
  })
})

describe('there is a bound for', () => {
  it('the size of a file', async () => {
    const { client } = await given.organization()
    const base = await aBase(client)
    const content = Buffer.alloc(limits.knowledgeFileBytes + 1, 'a')
    const { status, details } = await putFile(client, { base, id: 'f', name: 'a.txt', content })
    expect([status, details]).toEqual([413, { limitBytes: limits.knowledgeFileBytes }])
    const largest = await putFile(client, { base, id: 'f', name: 'a.txt', content: content.subarray(1) })
    expect([largest.status, largest.data.sizeBytes]).toEqual([200, limits.knowledgeFileBytes])
    // Nobody has to read it.
    expectStatus(await client.delete(`${basesPath}/${base}`), 200)
  })

  it('the knowledge bases of an organization', async () => {
    const { client, id } = await given.organization()
    const most = knowledgeBounds.organizationKnowledgeBases.most
    await given.sql(
      `insert into knowledge_bases
         select $1, gen_random_uuid(), 1, now(), now(), 'Help', null, 0, 0 from generate_series(1, $2::integer) returning id`,
      [id, most],
    )
    const { status, details } = await client.post(basesPath, { name: 'One more' })
    expect([status, details]).toMatchObject([422, { limit: most }])
  })

  it('the files of a base, and the bytes of all', async () => {
    const { client, id } = await given.organization()
    const base = await aBase(client)
    const sent = { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' }
    await given.sql('update knowledge_bases set files_count = $2 where organization_id = $1 returning id', [
      id,
      knowledgeBounds.knowledgeFiles.most,
    ])
    expect((await putFile(client, sent)).details).toMatchObject({ limit: knowledgeBounds.knowledgeFiles.most })
    await given.sql(
      'update knowledge_bases set files_count = 0, size_bytes = $2 where organization_id = $1 returning id',
      [id, knowledgeBounds.organizationKnowledgeBytes.most - 21],
    )
    const { status, details } = await putFile(client, sent)
    expect([status, details]).toMatchObject([422, { limit: knowledgeBounds.organizationKnowledgeBytes.most }])
    // What is replaced makes room for what replaces it.
    const fill = 'update knowledge_bases set size_bytes = $2 where organization_id = $1'
    await given.sql(fill, [id, knowledgeBounds.organizationKnowledgeBytes.most - 22])
    expectStatus(await putFile(client, sent), 200)
    expectStatus(await putFile(client, { ...sent, content: 'The lighthouse is new.' }), 200)
  })

  it('the passages of an organization', async () => {
    const { client, id } = await given.organization()
    const base = await aBase(client)
    await given.sql('insert into knowledge_contents select $1, $2, $2, $3 returning id', [
      id,
      base,
      knowledgeBounds.organizationPassages.most,
    ])
    const sent = { base, id: 'f', name: 'a.txt', content: 'The lighthouse is red.' }
    expect(await readFile(given.api, client, sent)).toMatchObject({ status: 'failed', error: { code: 'no_room' } })
    // What is stored of a file already is not counted against it.
    const room = 'update knowledge_contents set passages = $2 where organization_id = $1'
    await given.sql(room, [id, knowledgeBounds.organizationPassages.most - 1])
    expect(await readFile(given.api, client, sent)).toMatchObject({ status: 'ready' })
    await given.sql("update knowledge_files set status = 'queued' where organization_id = $1", [id])
    for (const upkeep of knowledgeBases.upkeep ?? []) await upkeep.run(given.api.services, new AbortController().signal)
    await indexFiles(given.api)
    expect((await client.get(`${basesPath}/${base}/files`)).items).toMatchObject([{ status: 'ready', error: null }])
  })

  it('the words of a question', async () => {
    const organization = await given.organization()
    const base = await aBase(organization.client)
    const words = Array.from({ length: knowledgeBounds.knowledgeQuestion.most }, (_, index) => `filler${index}`)
    const content = 'The lighthouse is red.'
    await readFile(given.api, organization.client, { base, id: 'f', name: 'a.txt', content })
    expect(await find(organization, base, [...words.slice(1), 'lighthouse'].join(' '))).toHaveLength(1)
    expect(await find(organization, base, [...words, 'lighthouse'].join(' '))).toEqual([])
    expect(
      await findPassages({ organizationId: 'x', baseId: base, question: 'red', limit: 1 }, given.api.services),
    ).toBeNull()
  })
})

/** What is stored of the knowledge bases of an organization. */
async function leftOf({ id }: TestOrganization) {
  const [row] = await given.sql(
    `select (select count(*)::integer from files where organization_id = $1) as files,
            (select count(*)::integer from knowledge_contents where organization_id = $1) as contents,
            (select count(*)::integer from knowledge_passages where organization_id = $1) as passages,
            (select count(*)::integer from knowledge_words where organization_id = $1) as words`,
    [id],
  )
  return row
}
