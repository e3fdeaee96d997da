import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportJob } from '../../server/src/crm/exports/run-export.ts'
import { type FileStore, Files } from '../../server/src/kernel/files/index.ts'
import type { Services } from '../../server/src/kernel/index.ts'
import { runJobs } from '../support/jobs.ts'
import { until } from '../support/waiting.ts'
import { aContext } from './support/bulk-jobs.ts'
import { aFile, attach } from './support/files.ts'
import { useApi } from './support/given.ts'
import { csv, expectStatus, importFile, upload } from './support/imports.ts'
import { aPerson, erase, traces } from './support/persons.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

/** Whatever lies below the data directory and tells of the person: files that count, unfinished ones, copies. */
async function filesWithTraces(): Promise<string[]> {
  const { dataDirectory } = given.api
  const found: string[] = []
  for (const entry of await readdir(dataDirectory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if (traces.test(await readFile(path, 'utf8').catch(() => ''))) found.push(path.slice(dataDirectory.length + 1))
  }
  return found
}

/** Which parts of the data directory have such files. */
const placesOf = (paths: readonly string[]) =>
  [...new Set(paths.map(path => (path.startsWith('files/partial') ? 'partial' : path.split('/').at(-2))))].toSorted()

/** The services with a store that keeps each file unfinished, with all of its bytes, until it is let go. */
function holding(): { services: Services; letGo: () => void } {
  let letGo = () => {}
  const held = new Promise<void>(resolve => void (letGo = resolve))
  const { services } = given.api
  const { store, links } = services.files
  async function* heldUp(chunks: AsyncIterable<Uint8Array>) {
    yield* chunks
    await held
  }
  const slow: FileStore = {
    put: (key, source) => store.put(key, 'path' in source ? source : { chunks: heldUp(source.chunks) }),
    get: (key, range) => store.get(key, range),
    stat: key => store.stat(key),
    list: prefix => store.list(prefix),
    remove: key => store.remove(key),
    removeDrafts: () => store.removeDrafts(),
  }
  return { services: { ...services, files: new Files(slow, links) }, letGo: () => letGo() }
}

it.each(['anonymize', 'full'])('a person who is erased by mode %s is in no file any more', async mode => {
  const organization = await given.organization()
  const { client } = organization
  const person = await aPerson(organization)
  const other = await aRecord('contact', organization)
  const company = await aRecord('company', organization)
  const contacts = [{ id: person.id, role: 'Quartermaster' }, { id: other.id }]
  expectStatus(await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts }), 200)
  for (const type of ['contacts', 'company_contacts']) expectStatus(await client.post('/exports', { type }), 202)
  await runJobs(given.api)

  const mapping = { lastName: 'Name', email1: 'Mail' }
  const rows = csv(['Name', 'Mail'], ['Zwetschkenbaum', 'no address of barometer.example'], ['Zwetschkenbaum', ''])
  const failed = await importFile(given.api, client, rows, { mapping })
  expect(failed).toMatchObject({ status: 'completed_with_errors', errorsFileUrl: expect.any(String) })
  const waiting = expectStatus(await upload(client, rows), 201)
  const queued = expectStatus(await upload(client, rows), 201)
  expectStatus(await client.post(`/imports/${queued.id}/start`, { mapping, dedupPolicy: 'create_only' }), 202)

  const held = holding()
  const { id: exportId } = expectStatus(await client.post('/exports', { type: 'contacts' }), 202)
  const running = exportJob.run({ exportId }, aContext({ services: held.services }, organization))
  await until('an unfinished file of the export', async () => placesOf(await filesWithTraces()).includes('partial'))
  expect(placesOf(await filesWithTraces())).toEqual(['export', 'import', 'partial'])

  const deal = await aRecord('deal', organization, { contacts: [{ id: person.id }, { id: other.id }] })
  const task = await aRecord('task', organization, { contact: { id: person.id } })
  const elsewhere = await aRecord('task', organization)
  expectStatus(await attach(client, `/deals/${deal.id}`, 1, [aFile('a'), aFile('b')]), 201)
  expectStatus(await attach(client, `/tasks/${task.id}`, 1), 201)
  expectStatus(await attach(client, `/tasks/${elsewhere.id}`, 1), 201)
  expectStatus(await attach(client, `/companies/${company.id}`, 2, [aFile('c')]), 201)
  const { attachmentsCount: attached } = (await client.get(`/contacts/${person.id}/delete/preview`)).data

  // What the import has made of the rows is a person of its own, and is erased as well.
  const { items } = await client.get('/contacts?search=zwetschkenbaum')
  const made = items.filter(({ id }) => id !== person.id)
  expect(made).toHaveLength(1)
  for (const { id } of made) expectStatus(await erase(organization, id, mode), 200)
  expectStatus(await erase(organization, person.id, mode, 1), 200)
  await until('the files that count to go', async () => placesOf(await filesWithTraces()).join() === 'partial')
  held.letGo()
  expect(await running).toBe('again')
  await runJobs(given.api)
  expect(await filesWithTraces()).toEqual([])

  // Nobody can tell what is in the files of others: the client that erases is told how many there are.
  expect(attached).toBe(4)
  expect((await client.get(`/exports/${exportId}`)).data).toMatchObject({ status: 'completed', rowCount: 1 })
  expect((await client.get(`/imports/${queued.id}`)).data).toMatchObject({ status: 'failed' })
  expect((await client.post(`/imports/${waiting.id}/preview`, {})).status).toBe(422)
})
