import { describe, expect, it } from 'vitest'
import { allBut } from '../conformance/support/given.ts'
import { aTask } from '../support/builders.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()

/** A bulk job, an export and an import, of which the operator has started the export and the import. */
async function anOrganizationWithJobs() {
  const organization = await given.organization()
  const { client, id, operator } = organization
  const task = await client.post('/tasks', aTask())
  const targets = [{ id: task.data.id }]
  const bulk = await client.post('/bulk-jobs', {
    entityType: 'task',
    action: 'update',
    targets,
    changes: { status: 'done' },
  })
  const exported = await client.post('/exports', { type: 'contacts' })
  expect([bulk.status, exported.status]).toEqual([202, 202])
  await given.sql('update exports set started_by = $2 where organization_id = $1', [id, operator])
  await given.sql(
    `insert into imports (organization_id, id, entity_type, status, file_name, size_bytes, sha256, counters, errors, author_type,
                          author_uuid, row_count, position, created_at)
     values ($1, 'ffffffff-0000-7000-8000-000000000000', 'contacts', 'running', 'people.csv', 1, '', '{"failed":2}', '[]', 'user', $2,
             10, 4, now())`,
    [id, operator],
  )
  return organization
}

describe('the jobs of an organization', () => {
  it('are in one list, the newest first, with their progress and who started them', async () => {
    const organization = await anOrganizationWithJobs()
    const { items } = await readIn(organization, '/jobs')
    expect(items.map(({ type, status }) => [type, status])).toEqual([
      ['import', 'running'],
      ['bulk_job', 'queued'],
    ])
    expect(items).toMatchObject([
      {
        subject: 'contacts',
        title: 'people.csv',
        done: 4,
        total: 10,
        failed: 2,
        dryRun: false,
        application: null,
        startedBy: { id: organization.operator, name: 'Olga' },
      },
      {
        subject: 'task',
        title: 'update',
        done: 0,
        total: 1,
        failed: 0,
        application: { name: 'Integration' },
        startedBy: null,
      },
    ])
    expect((await readIn(await given.organization(), '/jobs')).items).toEqual([])
  })

  it('come in pages, each once', async () => {
    const organization = await anOrganizationWithJobs()
    const first = await readIn(organization, '/jobs?limit=1')
    const second = await readIn(organization, `/jobs?limit=1&cursor=${String(first.meta.nextCursor)}`)
    expect([first.items[0]?.type, second.items[0]?.type, second.meta.nextCursor]).toEqual(['import', 'bulk_job', null])
  })

  it('are those that the caller may read, without operators for who may not read these', async () => {
    const organization = await anOrganizationWithJobs()
    const some = await organization.token(allBut('crm_bulk_manage', 'crm_operators_read'))
    const { items, meta } = await readIn(organization, '/jobs', some)
    expect([items.map(({ type, startedBy }) => [type, startedBy]), meta.redacted]).toEqual([
      [['import', null]],
      ['operators'],
    ])
    const none = await organization.token(['crm_tasks_read'])
    expect((await readIn(organization, '/jobs', none)).items).toEqual([])
  })
})
