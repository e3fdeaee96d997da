import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  type Actor,
  byApplication,
  changeAll,
  mutate,
  Refusal,
  type Resource,
  unattended,
  upserting,
} from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { resources } from '../../server/src/modules.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'

const given = useApi()

const contact = resourceOf('contact')

function resourceOf(kind: string): Resource {
  const found = resources.find(resource => resource.kind === kind)
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return found
}

function aWriter({ id: organizationId }: TestOrganization, members: Partial<Actor> = {}): Actor {
  return {
    organizationId,
    author: byApplication,
    applicationId: null,
    requestId: randomUUID(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: true,
    reader: unattended(organizationId),
    ...members,
  }
}

const upsertOf = (input: JsonObject) => upserting(contact, input, given.api.services)

it('events and audit entries of a job name it, and the user who began it', async () => {
  const organization = await given.organization()
  const application = await organization.application()
  const jobId = randomUUID()
  const operator = randomUUID()
  const author = { type: 'import', uuid: operator, jobId } as const
  const writer = aWriter(organization, { author, applicationId: application.id })
  const [step] = await changeAll([upsertOf({ externalId: 'a', lastName: 'Petrova' })], writer, given.api.services)
  if (step === undefined || step instanceof Refusal) throw new Error('the change was refused')
  const facts = { actor_type: 'import', actor_uuid: operator, job_id: jobId, request_id: writer.requestId }
  const columns = 'actor_type, actor_uuid, job_id, request_id'
  for (const table of ['changes', 'audit_entries']) {
    const text = `select ${columns} from ${table} where organization_id = $1 and resource_id = $2`
    expect(await given.sql(text, [organization.id, step.record.id])).toEqual([facts])
  }
  const { data } = await application.client.get(`/contacts/${step.record.id}`)
  expect(data).toMatchObject({ externalId: 'a', createdByApplicationId: application.id, createdByUuid: operator })
})

it('a refused change among several writes nothing, and the others are kept', async () => {
  const organization = await given.organization()
  const { id, client } = await organization.application()
  const inputs = [
    { externalId: 'a', lastName: 'Petrova' },
    { externalId: 'a', lastName: 'Somebody else' },
    { externalId: 'b', lastName: 'Ivanov' },
  ]
  const writer = aWriter(organization, { applicationId: id })
  const steps = await changeAll(inputs.map(upsertOf), writer, given.api.services)
  expect(steps.map(step => (step instanceof Refusal ? step.code : step.status))).toEqual([
    201,
    'precondition_required',
    201,
  ])
  const { items } = await client.get('/contacts')
  expect(items.map(({ lastName }) => lastName).sort()).toEqual(['Ivanov', 'Petrova'])
})

it('a mutation that needs more after every round is given up, and leaves nothing locked', async () => {
  const organization = await given.organization()
  let asked = 0
  const endless = mutate(
    {
      needs(needs) {
        asked += 1
        needs.toChange(contact, { id: randomUUID() })
      },
      decide: () => {
        throw new Error('this is never decided')
      },
    },
    aWriter(organization),
    given.api.services,
  )
  await expect(endless).rejects.toThrow('was not locked')
  expect(asked).toBeLessThan(40)
  expect((await organization.client.post('/contacts', { lastName: 'Petrova' })).status).toBe(201)
})
