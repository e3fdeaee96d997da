import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { objectOf } from '../support/client.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { standingStill, unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('imports whose rows touch much')
let measured: Measured
const ends: unknown[] = []

const companies = 100
const contactsOfEach = 900
const added = 10
const lookMilliseconds = 500
const sharing = 20
const sharedAddresses = Array.from({ length: companies }, (_, index) => `shared.${index}@example.com`)
const sharedPolicy = { strategy: 'update_only', matchBy: ['email'] }

const linkContacts = statement(
  'abuse_link_contacts',
  `with owner as (select c.id, c.name from companies c where c.organization_id = $1 order by c.id limit $2),
        person as (select p.id from contacts p where p.organization_id = $1 order by p.id limit $3)
   insert into company_contacts (organization_id, id, version, created_at, updated_at, company_id, contact_id)
   select $1, gen_random_uuid(), 1, now(), now(), o.id, p.id from owner o cross join person p
   on conflict do nothing`,
)
const selectCompanies = statement(
  'abuse_companies',
  'select c.id from companies c where c.organization_id = $1 order by c.id limit $2',
)
const selectPersons = statement(
  'abuse_persons',
  'select c.id from contacts c where c.organization_id = $1 order by c.id offset $2 limit $3',
)

beforeAll(async () => {
  const { loud } = stage.scene
  await stage.database.search(linkContacts, [loud.organizationId, companies, contactsOfEach])
  await shareAddresses()
  measured = await stage.measure(carryOut, { promises: [standingStill], compared: [unfair] })
})

/** Divides the large companies into groups of twenty, and gives all companies of a group the same twenty e-mail addresses. */
async function shareAddresses(): Promise<void> {
  for (let number = 0; number < companies; number += 1) {
    const found = await stage.loud.get(`/companies?externalId=large-${number}`)
    const { id, version: expectedVersion } = objectOf(found.items[0])
    const first = sharing * Math.floor(number / sharing)
    const emails = sharedAddresses.slice(first, first + sharing).map(value => ({ value }))
    const { status, error } = await stage.loud.patch(`/companies/${id}`, { expectedVersion, contactData: { emails } })
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(error)}`)
  }
}

async function carryOut(): Promise<Outcome> {
  const began = performance.now()
  ends.length = 0
  ends.push(await imported('company_contacts', ['companyUuid', 'contactUuid'], await rowsOfLinks()))
  ends.push(await imported('contacts', ['firstName', 'companyExternalId'], rowsOfPersons()))
  ends.push(await imported('companies', ['name', 'email1'], rowsOfShared(), sharedPolicy))
  return { statuses: {}, cutOff: 0, longest: 0, firstBody: '', seconds: (performance.now() - began) / 1000 }
}

/** Rows of which each is about another company than the one before. */
async function rowsOfLinks(): Promise<unknown[][]> {
  const { organizationId } = stage.scene.loud
  const owners = await stage.database.search(selectCompanies, [organizationId, companies])
  const persons = await stage.database.search(selectPersons, [organizationId, contactsOfEach, added])
  return persons.flatMap(person => owners.map(owner => [owner.id, person.id]))
}

function rowsOfPersons(): unknown[][] {
  return Array.from({ length: 10 * companies }, (_, index) => [`Person ${index}`, `large-${index % companies}`])
}

/** A row for each shared address: each finds twenty large companies, the most that a value tells apart. */
function rowsOfShared(): unknown[][] {
  return sharedAddresses.map((address, index) => [`Shared ${index}`, address])
}

async function imported(
  entityType: string,
  columns: readonly string[],
  rows: readonly unknown[][],
  dedupPolicy: unknown = 'create_or_update',
): Promise<unknown> {
  const content = csv(columns, ...rows)
  const { id } = expectStatus(await upload(stage.loud, content, { entityType }), 201)
  const mapping = Object.fromEntries(columns.map(column => [column, column]))
  expectStatus(await stage.loud.post(`/imports/${id}/start`, { mapping, dedupPolicy }), 202)
  for (;;) {
    const { data } = await stage.loud.get(`/imports/${id}`)
    if (data.finishedAt !== null) return data.status
    await sleep(lookMilliseconds)
  }
}

test('each import comes to its end', () => {
  expect(ends).toEqual(['completed', 'completed', 'completed_with_errors'])
})

test('the event loop is held for at most 100 ms, and another organization waits at most four times as long', () => {
  expect([...standingStill(measured), ...unfair(measured)]).toEqual([])
})

everyAttack(stage, () => measured)
