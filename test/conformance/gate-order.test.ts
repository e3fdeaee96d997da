import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, inCharge, type Kind, kinds, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

/** Keys and ids in the states that the gates tell apart. */
async function aWorld(organization: TestOrganization) {
  const { client } = organization
  const anonymized = await aRecord('contact', organization)
  await client.delete(`/contacts/${anonymized.id}?expectedVersion=1`)
  const removed = await aRecord('contact', organization)
  await client.delete(`/contacts/${removed.id}?expectedVersion=1&mode=full`)
  const removedDeal = await aRecord('deal', organization)
  await client.delete(`/deals/${removedDeal.id}?expectedVersion=1`)
  const removedTask = await aRecord('task', organization)
  await client.delete(`/tasks/${removedTask.id}?expectedVersion=1`)
  return {
    anonymizedId: String(anonymized.id),
    anonymizedKey: String(anonymized.externalId),
    tombstones: {
      contact: String(removed.externalId),
      deal: String(removedDeal.externalId),
      task: String(removedTask.externalId),
    },
  }
}

const wrongOperator = (kind: Kind) => ({ [inCharge[kind]]: unknownId })

describe.each(kinds)('PATCH of a %s', kind => {
  const path = `/${plurals[kind]}`

  it('answers 404 of the record before anything that its content would be refused for', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord(kind, organization)
    const body = { expectedVersion: 7, externalId, ...wrongOperator(kind) }
    expect(outcome(await organization.client.patch(`${path}/${unknownId}`, body))).toBe('404 not_found')
  })

  it('answers a stale version before a conflict of keys and before 422', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const { externalId } = await aRecord(kind, organization)
    const answer = await organization.client.patch(`${path}/${id}`, {
      expectedVersion: 7,
      externalId,
      ...wrongOperator(kind),
    })
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
  })

  it('answers a conflict of keys before 422, and 422 when nothing else is wrong', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const { id: existingId, externalId } = await aRecord(kind, organization)
    const conflict = await organization.client.patch(`${path}/${id}`, {
      expectedVersion: 1,
      externalId,
      ...wrongOperator(kind),
    })
    expect(outcome(conflict)).toBe('409 external_id_conflict')
    expect(conflict.details).toEqual({ existingId, currentVersion: 1 })
    const refused = await organization.client.patch(`${path}/${id}`, { expectedVersion: 1, ...wrongOperator(kind) })
    expect(outcome(refused)).toBe('422 validation_error')
  })
})

describe.each(['contact', 'deal', 'task'] as const)('PATCH of a %s to the key of a removed record', kind => {
  it('answers 410 before the stale version', async () => {
    const organization = await given.shared()
    const { tombstones } = await aWorld(organization)
    const { id } = await aRecord(kind, organization)
    const body = { expectedVersion: 7, externalId: tombstones[kind], ...wrongOperator(kind) }
    const answer = await organization.client.patch(`/${plurals[kind]}/${id}`, body)
    expect(outcome(answer)).toBe('410 external_reference_deleted')
    expect(answer.details.kind).toBe(kind)
  })
})

describe('PATCH of an anonymized contact', () => {
  it('answers 410 before the stale version and before 422', async () => {
    const organization = await given.shared()
    const { anonymizedId } = await aWorld(organization)
    const body = { expectedVersion: 7, ...wrongOperator('contact') }
    const answer = await organization.client.patch(`/contacts/${anonymizedId}`, body)
    expect(outcome(answer)).toBe('410 resource_deleted')
  })
})

describe('references in the body of a deal', () => {
  const unknown = { companies: [{ id: unknownId }] }
  type Send = (organization: TestOrganization, members: JsonObject) => Promise<string>
  const ways: readonly (readonly [string, Send])[] = [
    [
      'POST /deals',
      async (organization, members) => {
        const { externalId } = await aRecord('deal', organization)
        return outcome(
          await organization.client.post('/deals', { externalId, title: 'x', ...members, ...wrongOperator('deal') }),
        )
      },
    ],
    [
      'PATCH /deals/:id',
      async (organization, members) => {
        const { id } = await aRecord('deal', organization)
        const { externalId } = await aRecord('deal', organization)
        const body = { expectedVersion: 7, externalId, ...members, ...wrongOperator('deal') }
        return outcome(await organization.client.patch(`/deals/${id}`, body))
      },
    ],
    [
      'POST /deals/upsert of a known key without version',
      async (organization, members) => {
        const { externalId } = await aRecord('deal', organization)
        return outcome(
          await organization.client.post('/deals/upsert', { externalId, ...members, ...wrongOperator('deal') }),
        )
      },
    ],
    [
      'POST /deals/upsert of a known key with a stale version',
      async (organization, members) => {
        const { externalId } = await aRecord('deal', organization)
        const body = { externalId, expectedVersion: 7, ...members, ...wrongOperator('deal') }
        return outcome(await organization.client.post('/deals/upsert', body))
      },
    ],
    [
      'an element of POST /deals/batch/upsert',
      async (organization, members) => {
        const { externalId } = await aRecord('deal', organization)
        const items = [{ externalId, ...members, ...wrongOperator('deal') }]
        const [element] = (await organization.client.post('/deals/batch/upsert', { items })).items
        return `${element?.status} ${objectOf(element?.error).code}`
      },
    ],
  ]

  it.each(ways)('%s: unknown before gone, gone before version and key and 422', async (_, sendWith) => {
    const organization = await given.shared()
    const { anonymizedId, anonymizedKey, tombstones } = await aWorld(organization)
    const goneFirst = { contacts: [{ id: anonymizedId }], ...unknown }
    expect(await sendWith(organization, goneFirst)).toBe('404 not_found')
    expect(await sendWith(organization, { contacts: [{ id: anonymizedId }] })).toBe('410 resource_deleted')
    expect(await sendWith(organization, { contacts: [{ externalId: anonymizedKey }] })).toBe('410 resource_deleted')
    const tombstoned = { contacts: [{ externalId: tombstones.contact }] }
    expect(await sendWith(organization, tombstoned)).toBe('410 external_reference_deleted')
  })
})

describe.each(kinds)('POST /upsert of a %s', kind => {
  const path = `/${plurals[kind]}/upsert`

  it('answers 428 before 422, the version before 422, and 422 last', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { externalId } = await aRecord(kind, organization)
    expect(outcome(await client.post(path, { externalId, ...wrongOperator(kind) }))).toBe('428 precondition_required')
    const stale = await client.post(path, { externalId, expectedVersion: 7, ...wrongOperator(kind) })
    expect(outcome(stale)).toBe('409 version_conflict')
    const refused = await client.post(path, { externalId, expectedVersion: 1, ...wrongOperator(kind) })
    expect(outcome(refused)).toBe('422 validation_error')
  })

  it('with a version and a key that was never mapped answers 409 before 422', async () => {
    const organization = await given.shared()
    const body = { ...(await aBody(kind, organization)), expectedVersion: 1, ...wrongOperator(kind) }
    const answer = await organization.client.post(path, body)
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: null }])
  })
})

describe.each(kinds)('POST of a %s', kind => {
  it('answers the conflict of keys before 422', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const body = { ...(await aBody(kind, organization)), externalId, ...wrongOperator(kind) }
    const answer = await organization.client.post(`/${plurals[kind]}`, body)
    expect(outcome(answer)).toBe('409 external_id_conflict')
    expect(answer.details).toEqual({ existingId: id, currentVersion: 1 })
  })
})

describe.each(['', '/upsert'])('POST /deals%s with the key of a removed deal', route => {
  it('answers 404 of a reference before the 410 of the key, and that before 422', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { tombstones } = await aWorld(organization)
    const body = await aBody('deal', organization, { externalId: tombstones.deal, ...wrongOperator('deal') })
    const unknown = { ...body, companies: [{ id: unknownId }] }
    expect(outcome(await client.post(`/deals${route}`, unknown))).toBe('404 not_found')
    expect(outcome(await client.post(`/deals${route}`, body))).toBe('410 external_reference_deleted')
  })
})

describe('an idempotency key that was used', () => {
  it.each(kinds)('answers before the %s is looked for, but after the body was checked', async kind => {
    const organization = await given.shared()
    const { client } = organization
    const key = `gate-order-${kind}`
    await client.post(`/${plurals[kind]}`, await aBody(kind, organization), { key })
    const path = `/${plurals[kind]}/${unknownId}`
    const conflict = await client.patch(path, { expectedVersion: 1 }, { key })
    expect(outcome(conflict)).toBe('409 idempotency_conflict')
    expect(outcome(await client.patch(path, { expectedVersion: 1, colour: 1 }, { key }))).toBe('400 validation_error')
  })
})

describe('DELETE', () => {
  it('answers 404 before the version, and the version before what forbids the removal', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('contact', organization)
    await aRecord('deal', organization, { contacts: [{ id }] })
    const full = (contact: unknown, version: number) =>
      client.delete(`/contacts/${contact}?expectedVersion=${version}&mode=full`)
    expect(outcome(await full(unknownId, 7))).toBe('404 not_found')
    expect(outcome(await full(id, 7))).toBe('409 version_conflict')
    expect(outcome(await full(id, 1))).toBe('422 validation_error')
  })

  it('of an anonymized contact answers 410 before the version', async () => {
    const organization = await given.shared()
    const { anonymizedId } = await aWorld(organization)
    for (const mode of ['anonymize', 'full']) {
      const answer = await organization.client.delete(`/contacts/${anonymizedId}?expectedVersion=7&mode=${mode}`)
      expect(outcome(answer)).toBe('410 resource_deleted')
    }
  })
})

describe('PATCH /deals/:id/move', () => {
  it('answers 404 before the version, and the version before 422', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    const move = (deal: unknown, expectedVersion: number) =>
      organization.client.patch(`/deals/${deal}/move`, { expectedVersion, stageUuid: unknownId })
    expect(outcome(await move(unknownId, 7))).toBe('404 not_found')
    expect(outcome(await move(id, 7))).toBe('409 version_conflict')
    expect(outcome(await move(id, 1))).toBe('422 validation_error')
  })
})

describe('kinds of keys', () => {
  it('are apart: a record of each may have the same key', async () => {
    const organization = await given.shared()
    const ids = new Set<unknown>()
    for (const kind of kinds) {
      ids.add((await aRecord(kind, organization, { externalId: 'shared-42' })).id)
    }
    expect(ids.size).toBe(kinds.length)
  })
})
