import { expect, it } from 'vitest'
import { lockNumber } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { aPerson, erase } from '../conformance/support/persons.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { hold } from '../support/hold.ts'
import { startWorker } from '../support/jobs.ts'
import { until } from '../support/waiting.ts'

const given = useApi({ connections: 12 })

const lockCompany = statement(
  'test_hold_company',
  'select 1 from companies where organization_id = $1 and id = $2 for no key update',
)
const moveLinks = statement(
  'test_move_links',
  'update company_contacts set company_id = $3 where organization_id = $1 and company_id = $2',
)

/** Resolves when a change waits for a company that this transaction of the database holds. */
async function untilBlockedBy(process: unknown): Promise<void> {
  const blocked = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
  await until('a change that waits for the company', async () => (await given.sql(blocked, [process])).length > 0, 5000)
}

it('anonymizing a person waits for the company that a link of the person was moved to meanwhile', async () => {
  const organization = await given.organization()
  const { client } = organization
  const contact = await aRecord('contact', organization)
  const [before, after] = [await aRecord('company', organization), await aRecord('company', organization)]
  const contacts = [{ id: contact.id, role: 'Buyer' }]
  await client.put(`/companies/${before.id}/contacts`, { expectedVersion: 1, contacts })

  const hold = async (id: unknown) => {
    const holder = await given.api.services.database.begin()
    await holder.query(lockCompany, [organization.id, id])
    const [{ process } = {}] = await holder.query(
      statement('test_own_process', 'select pg_backend_pid() as process'),
      [],
    )
    return { holder, process }
  }
  const [first, second] = [await hold(before.id), await hold(after.id)]
  const erasing = erase(organization, contact.id, 'anonymize')
  try {
    await untilBlockedBy(first.process)
    await first.holder.query(moveLinks, [organization.id, before.id, after.id])
    await first.holder.commit()
    await untilBlockedBy(second.process)
  } finally {
    await first.holder.rollback()
    await second.holder.rollback()
  }
  expect((await erasing).status).toBe(200)
  const { items } = await client.get(`/companies/${after.id}/contacts`)
  expect(items).toMatchObject([{ contactId: contact.id, role: null, anonymized: true }])
})

const waitingForImports = `select from pg_stat_activity a
  where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query like '-- name: lock\\_imports\n%'`

it.each([
  ['an import', false],
  ['a dry run', true],
])('%s applies no row that it had read before a person was erased', async (_, dryRun) => {
  const organization = await given.organization()
  const { client } = organization
  const person = await aPerson(organization)
  const rows = csv(['Name', 'Mail'], ['Xantippe', 'xantippe@barometer.example'], ['Xantippe', 'xantippe.barometer'])
  const { id } = expectStatus(await upload(client, rows), 201)
  const start = { mapping: { firstName: 'Name', email1: 'Mail' }, dedupPolicy: 'create_only', dryRun }
  expectStatus(await client.post(`/imports/${id}/start`, start), 202)
  const turn = lockNumber('imports', organization.id)
  const held = await hold(given.api.services.database, `select pg_advisory_xact_lock(${turn})`)
  const worker = startWorker(given.api)
  await until('rows that wait', async () => (await given.sql(waitingForImports)).length > 0, 4000)
  const erased = await erase(organization, person.id, 'full')
  await held.release()
  expect(erased.status).toBe(200)
  const ended = await until('the end', async () => {
    const { data } = await client.get(`/imports/${id}`)
    return data.finishedAt !== null && data
  })
  await worker.stop()
  expect(ended).toMatchObject({ failure: { code: 'file_dropped' }, counters: { pending: 2 } })
  expect((await client.get('/contacts')).items).toEqual([])
  expect(await given.sql('select from import_rehearsals where import_id = $1', [id])).toEqual([])
})

const waitingForContact = `select from pg_stat_activity a
  where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query like '-- name: lock\\_contact%'`

it('an import that waits for a record keeps no erasure waiting, and applies nothing after it', async () => {
  const organization = await given.organization()
  const { client } = organization
  const person = await aPerson(organization)
  const contactData = { emails: [{ value: 'anna@example.com' }] }
  const other = await aRecord('contact', organization, { lastName: 'Other', contactData })
  const rows = csv(['Name', 'Mail'], ['Anna', 'anna@example.com'], ['Xantippe', 'xantippe2@barometer.example'])
  const { id } = expectStatus(await upload(client, rows), 201)
  const dedupPolicy = { strategy: 'create_or_update', matchBy: ['email'], onConflict: 'overwrite' }
  const start = { mapping: { firstName: 'Name', email1: 'Mail' }, dedupPolicy }
  expectStatus(await client.post(`/imports/${id}/start`, start), 202)
  const row = `select from contacts where id = '${other.id}' for no key update`
  const held = await hold(given.api.services.database, row)
  const worker = startWorker(given.api)
  try {
    await until('rows that wait', async () => (await given.sql(waitingForContact)).length > 0, 10_000)
    // An erasure waits for the import, so the import must not be locked while its rows wait for a person.
    await given.sql(`select from imports where id = '${id}' for no key update nowait`)
    expect((await erase(organization, person.id, 'full')).status).toBe(200)
  } finally {
    await held.release()
  }
  const ended = await until('the end', async () => {
    const { data } = await client.get(`/imports/${id}`)
    return data.finishedAt !== null && data
  })
  await worker.stop()
  expect(ended).toMatchObject({ failure: { code: 'file_dropped' }, counters: { pending: 2 } })
  expect((await client.get('/contacts')).items).toMatchObject([{ id: other.id, version: 1 }])
})
