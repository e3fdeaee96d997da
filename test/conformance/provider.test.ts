import { describe, expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { named, outcome, unknownId } from './support/requests.ts'

const given = useApi()

/** Requests of an organization that has moved to an external CRM since they were made. */
async function moveAway(organization: TestOrganization): Promise<void> {
  const text = `update organizations set crm_provider = 'external' where id = $1`
  await given.configure(organization, text, [organization.id])
}

let moved: Promise<Client> | undefined

/** A client of one organization that has moved away. */
async function movedAway(): Promise<Client> {
  const organization = await given.organization()
  await moveAway(organization)
  return organization.token(allBut())
}

const ofTheCrm = operations.filter(({ conventions }) => conventions.needsBuiltInCrm)

it.each(named(ofTheCrm))('%s answers 409 crm_provider_not_supported, without rate headers', async (_, operation) => {
  moved ??= movedAway()
  const path = operation.path.replaceAll(/\{\w+\}/gu, unknownId)
  const { status, error, headers } = await (await moved).call(operation.method, path)
  expect([status, error.code, error.details]).toEqual([409, 'crm_provider_not_supported', {}])
  expect(headers.get('ratelimit-limit')).toBeNull()
})

describe('an organization with an external CRM', () => {
  it('gets a 403 for a missing scope first', async () => {
    const organization = await given.organization()
    await moveAway(organization)
    const client = await organization.token(allBut('crm_contacts_read'))
    expect(outcome(await client.get('/contacts'))).toBe('403 insufficient_scope')
  })

  it('gets a 404 for a route that does not exist, like every organization', async () => {
    const organization = await given.organization()
    await moveAway(organization)
    const client = await organization.token(allBut())
    expect(outcome(await client.get('/pets'))).toBe('404 not_found')
  })

  it('spends no quota', async () => {
    const organization = await given.organization({ rates: 2 })
    await moveAway(organization)
    const client = await organization.token(allBut())
    for (let index = 0; index < 4; index += 1) {
      expect(outcome(await client.get('/contacts'))).toBe('409 crm_provider_not_supported')
    }
  })

  it('gets its 409 before the body is read', async () => {
    const organization = await given.organization()
    await moveAway(organization)
    const client = await organization.token(allBut())
    expect(outcome(await client.post('/contacts', {}, { raw: '{', key: null }))).toBe('409 crm_provider_not_supported')
  })
})
