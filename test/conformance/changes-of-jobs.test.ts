import { describe, expect, it } from 'vitest'
import { exportsUpkeep } from '../../server/src/crm/exports/exports-upkeep.ts'
import { importsUpkeep } from '../../server/src/crm/imports/imports-upkeep.ts'
import { importJob } from '../../server/src/crm/imports/run/import-job.ts'
import type { Upkeep } from '../../server/src/kernel/index.ts'
import type { Client } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { aContext, admitted, doneTasks, someRecords } from './support/bulk-jobs.ts'
import { allBut, useApi } from './support/given.ts'
import { csv, importFile, upload } from './support/imports.ts'
import { jobs, mapping, requested, rows } from './support/requested-jobs.ts'
import { outcome } from './support/requests.ts'
import { undo } from './support/undos.ts'
import { aWait, endOfFeed } from './support/waiting-requests.ts'

const given = useApi({ ownDatabase: true })

const jobTypes = 'resourceTypes=bulk_job,export,import'
const day = 86_400_000

/** The ends of jobs in the feed of an organization: kind, id, operation and status of each. */
async function endsIn(client: Client, start: string): Promise<unknown[]> {
  const { items } = await client.get(`/changes?after=${start}&${jobTypes}`)
  return items.map(({ kind, resourceId, operation, status }) => [kind, resourceId, operation, status])
}

/** An organization, and the position before its jobs. */
async function aBeginning() {
  const organization = await given.organization()
  return { organization, client: organization.client, start: await endOfFeed(organization.client) }
}

const wrongRows = csv(['Name', 'Mail'], ['Anna', 'wrong'], ['Olga', 'olga@example.com'])

const types = ['bulk_job', 'export', 'import'] as const

describe('the end of a job', () => {
  it.each(types)('is an event of the feed when it has done its work: %s.completed', async type => {
    const { organization, client, start } = await aBeginning()
    const id = await requested[type](organization)
    expect(await endsIn(client, start)).toEqual([])
    await runJobs(given.api)
    expect(await endsIn(client, start)).toEqual([[`${type}.completed`, id, 'completed', 'completed']])
  })

  it.each(types)('is an event of the feed when it has failed: %s.failed', async type => {
    const { organization, client, start } = await aBeginning()
    const id = await requested[type](organization)
    const [job, payload] = jobs[type]
    await job.giveUp?.({ [payload]: id }, aContext(given.api, organization), new Error('away'))
    expect(await endsIn(client, start)).toEqual([[`${type}.failed`, id, 'failed', 'failed']])
    await runJobs(given.api)
    expect(await endsIn(client, start)).toHaveLength(1)
  })

  it.each([
    ['bulk_job', 'canceled'],
    ['export', 'failed'],
    ['import', 'canceled'],
  ] as const)('is an event of the feed when an operator has canceled it: %s.canceled', async (type, status) => {
    const { organization, client, start } = await aBeginning()
    const id = await requested[type](organization)
    const [job, payload] = jobs[type]
    await job.cancel?.({ [payload]: id }, aContext(given.api, organization))
    expect(await endsIn(client, start)).toEqual([[`${type}.canceled`, id, 'canceled', status]])
    await runJobs(given.api)
    expect(await endsIn(client, start)).toHaveLength(1)
  })

  it('says that some targets or rows have failed', async () => {
    const { organization, client, start } = await aBeginning()
    const [task] = await someRecords('task', 1, organization)
    const body = { ...doneTasks([]), targets: [{ id: task?.id, expectedVersion: 7 }] }
    const job = await admitted(client, body)
    const { id } = await importFile(given.api, client, wrongRows, { mapping })
    expect(await endsIn(client, start)).toEqual(
      expect.arrayContaining([
        ['bulk_job.completed', job, 'completed', 'completed_with_errors'],
        ['import.completed', id, 'completed', 'completed_with_errors'],
      ]),
    )
  })

  it('comes behind the events of its targets and rows, and has all members', async () => {
    const { organization, client, start } = await aBeginning()
    const { id } = await importFile(given.api, client, rows, { mapping })
    const tasks = await someRecords('task', 2, organization)
    const job = await admitted(client, doneTasks(tasks))
    await runJobs(given.api)
    const { items, meta } = await client.get(`/changes?after=${start}&${jobTypes},contact,task`)
    expect(items.map(({ kind }) => kind)).toEqual([
      'contact.created',
      'import.completed',
      'task.created',
      'task.created',
      'task.updated',
      'task.updated',
      'bulk_job.completed',
    ])
    expect(meta.range).toEqual({ fromSeq: 0, toSeq: 7, matched: 7, filtered: 0 })
    expect(items[1]).toEqual({
      id: expect.any(String),
      seq: 2,
      kind: 'import.completed',
      resourceType: 'import',
      resourceId: id,
      externalId: null,
      operation: 'completed',
      status: 'completed',
      version: null,
      changedFields: [],
      mergedIntoId: null,
      mergedFromId: null,
      externalIdTombstoned: false,
      occurredAt: expect.any(String),
      actorType: 'import',
      actorUuid: null,
      applicationId: organization.applicationId,
      requestId: expect.any(String),
      jobId: id,
      transactionId: expect.any(String),
    })
    expect(items.at(-1)).toMatchObject({ resourceId: job, jobId: job, actorType: 'bulk_job' })
    expect(items[0]).toMatchObject({ operation: 'created', status: null })
  })

  it('comes at once when an import is canceled before its start, and after its rows when it runs', async () => {
    const { organization, client, start } = await aBeginning()
    const { id } = (await upload(client, rows)).data
    expect((await client.post(`/imports/${id}/cancel`)).status).toBe(200)
    expect((await client.post(`/imports/${id}/cancel`)).status).toBe(200)
    const canceled = ['import.canceled', id, 'canceled', 'canceled']
    expect(await endsIn(client, start)).toEqual([canceled])
    const many = csv(['Name', 'Mail'], ...Array.from({ length: 150 }, (_, index) => ['Anna', `a${index}@example.com`]))
    const running = (await upload(client, many)).data.id
    await client.post(`/imports/${running}/start`, { mapping, dedupPolicy: 'create_only' })
    await importJob.run({ importId: running }, { ...aContext(given.api, organization), turnEnds: 0 })
    expect((await client.post(`/imports/${running}/cancel`)).data.status).toBe('canceling')
    expect(await endsIn(client, start)).toEqual([canceled])
    await runJobs(given.api)
    expect(await endsIn(client, start)).toEqual([canceled, ['import.canceled', running, 'canceled', 'canceled']])
    const ends = (await client.get(`/changes?after=${start}&resourceTypes=import`)).items
    const { seq } = (await client.get('/changes/cursor')).data
    expect([seq, ends.map(end => end.seq)]).toEqual([102, [1, 102]])
  })

  it('is one of an import that was not started in time, or of an export that was not written in time', async () => {
    const { organization, client, start } = await aBeginning()
    const { id } = (await upload(client, rows)).data
    const asked = await requested.export(organization)
    const upkeep = ({ run }: Upkeep) => run(given.api.services, new AbortController().signal)
    given.clock.advance(7 * day + 1000)
    await upkeep(importsUpkeep)
    await upkeep(exportsUpkeep)
    expect(await endsIn(client, start)).toEqual([
      ['import.failed', id, 'failed', 'failed'],
      ['export.failed', asked, 'failed', 'failed'],
    ])
    await runJobs(given.api)
    given.clock.set('2026-03-02T10:00:30.000Z')
  })
})

describe('GET /changes', () => {
  it('shows ends of jobs only to those who ask for them, and counts them as filtered for others', async () => {
    const { client, start } = await aBeginning()
    await importFile(given.api, client, rows, { mapping })
    const usual = await client.get(`/changes?after=${start}`)
    expect(usual.items.map(({ kind }) => kind)).toEqual(['contact.created'])
    expect(usual.meta).toMatchObject({ hasMore: false, range: { fromSeq: 0, toSeq: 2, matched: 1, filtered: 1 } })
    const asked = await client.get(`/changes?after=${start}&resourceTypes=import`)
    expect(asked.items.map(({ kind }) => kind)).toEqual(['import.completed'])
    expect(asked.meta.range).toEqual({ fromSeq: 0, toSeq: 2, matched: 1, filtered: 1 })
  })

  it('shows the ends of jobs of all applications, also to one that cannot read the jobs themselves', async () => {
    const { organization, client, start } = await aBeginning()
    const job = await requested.bulk_job(organization)
    const asked = await requested.export(organization)
    await runJobs(given.api)
    const other = await organization.application()
    expect((await endsIn(other.client, start)).toSorted()).toEqual((await endsIn(client, start)).toSorted())
    expect(await endsIn(other.client, start)).toHaveLength(2)
    for (const path of [`/bulk-jobs/${job}`, `/exports/${asked}`])
      expect([path, outcome(await other.client.get(path))]).toEqual([path, '404 not_found'])
  })

  it('shows no end when an import is undone, and when the file of an export expires', async () => {
    const { organization, client, start } = await aBeginning()
    const { id } = await importFile(given.api, client, rows, { mapping })
    const asked = await requested.export(organization)
    await runJobs(given.api)
    const ends = await endsIn(client, start)
    expect(ends).toHaveLength(2)
    expect(await undo(given, organization, id)).toMatchObject({ status: 'completed' })
    given.clock.advance(7 * day + 1000)
    await exportsUpkeep.run(given.api.services, new AbortController().signal)
    expect((await client.get(`/exports/${asked}`)).data.status).toBe('expired')
    expect(await endsIn(client, start)).toEqual(ends)
    given.clock.set('2026-03-02T10:00:30.000Z')
  })

  it('has no record for a job', async () => {
    const { client, start } = await aBeginning()
    await importFile(given.api, client, rows, { mapping })
    const { items } = await client.get(`/changes?after=${start}&include=record&resourceTypes=import,contact`)
    expect(items.map(({ kind, record }) => [kind, record === null])).toEqual([
      ['contact.created', false],
      ['import.completed', true],
    ])
  })

  it('answers a request that waits for the end of a job, and not for the rows of it', async () => {
    const { organization, client } = await aBeginning()
    const { answer } = await aWait(given.api, client, { query: '&resourceTypes=import' })
    const id = await requested.import(organization)
    await runJobs(given.api)
    const { items, meta } = await answer
    expect([items.map(({ resourceId }) => resourceId), meta.waited]).toEqual([[id], true])
    expect(meta.range).toEqual({ fromSeq: 0, toSeq: 2, matched: 1, filtered: 1 })
  })

  it.each([
    ['import', 'crm_import_manage'],
    ['export', 'crm_export_manage'],
    ['bulk_job', 'crm_bulk_manage'],
  ] as const)('needs the scope that reads such jobs: %s', async (type, scope) => {
    const organization = await given.shared()
    const without = await organization.token(allBut(scope))
    for (const path of [`/changes/cursor?resourceTypes=${type}`, `/changes?after=x&resourceTypes=contact,${type}`]) {
      const refused = await without.get(path)
      expect([outcome(refused), refused.details.missingScopes]).toEqual(['403 insufficient_scope', [scope]])
    }
    const only = await organization.token([scope])
    const { cursor } = (await only.get(`/changes/cursor?resourceTypes=${type}`)).data
    expect((await only.get(`/changes?after=${cursor}&resourceTypes=${type}`)).status).toBe(200)
    expect(outcome(await only.get(`/changes?after=${cursor}`))).toBe('403 insufficient_scope')
  })
})
