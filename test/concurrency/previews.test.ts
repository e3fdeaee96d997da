import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { everything } from '../conformance/support/everything.ts'
import { useApi } from '../conformance/support/given.ts'
import { aPair, commitMerge } from '../conformance/support/merges.ts'
import { aPerson, erase, person, traces } from '../conformance/support/persons.ts'
import { aRecord, outcome } from '../conformance/support/requests.ts'
import type { Answer } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

const given = useApi({ connections: 12 })

const takeKey = statement(
  'test_take_answer',
  `insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status)
   select $1, a.id, $2, '', now(), 200 from applications a where a.organization_id = $1`,
)

/** A preview that has read both records and cannot store its answer before `meanwhile` is over. */
async function previewAround(
  organization: TestOrganization,
  [primary, secondary]: readonly [unknown, unknown],
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  const key = randomUUID()
  const holder = await given.api.services.database.begin()
  await holder.query(takeKey, [organization.id, key])
  const body = { primaryId: primary, secondaryId: secondary }
  const previewing = organization.client.post('/contacts/merge/preview', body, { key })
  try {
    await untilStoring()
    await meanwhile()
  } finally {
    await holder.rollback()
  }
  return previewing
}

async function untilStoring(): Promise<void> {
  const storing = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '-- name: save_%'`
  await until('a preview that stores its answer', async () => (await given.sql(storing)).length > 0)
}

it.each(['anonymize', 'full'] as const)(
  'a merge preview of a person keeps nothing of one who is erased meanwhile by mode %s',
  async mode => {
    const organization = await given.organization()
    const erased = await aPerson(organization)
    const other = await aRecord('contact', organization)
    let erasing: Promise<Answer> | undefined
    const answer = await previewAround(organization, [other.id, erased.id], async () => {
      erasing = erase(organization, erased.id, mode)
      await Promise.race([erasing, new Promise(resolve => setTimeout(resolve, 300))])
    })
    expect((await erasing)?.status).toBe(200)
    expect(['200', '404 not_found', '410 resource_deleted']).toContain(outcome(answer))
    expect(await everything(given, organization)).not.toMatch(traces)
  },
)

it('a merge preview keeps nothing of one who is merged and erased meanwhile', async () => {
  const organization = await given.organization()
  const pair = await aPair('contact', organization, {}, person)
  const [primary, secondary] = pair
  let ending: Promise<Answer> | undefined
  const end = async () => {
    const preview = { primaryId: primary.id, secondaryId: secondary.id }
    const { data } = await organization.client.post('/contacts/merge/preview', preview)
    const names = Array.isArray(data.requiredResolutions) ? data.requiredResolutions.map(String) : []
    const fieldResolutions = Object.fromEntries(names.map(name => [name, 'primary']))
    await commitMerge(organization.client, 'contact', pair, { fieldResolutions })
    return erase(organization, primary.id, 'anonymize', 2)
  }
  await previewAround(organization, [primary.id, secondary.id], async () => {
    ending = end()
    await Promise.race([ending, new Promise(resolve => setTimeout(resolve, 500))])
  })
  expect((await ending)?.status).toBe(200)
  expect(await everything(given, organization)).not.toMatch(traces)
})
