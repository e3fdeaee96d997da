import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { administered } from '../entrypoints/cli/administered.ts'
import {
  createApplication,
  createOrganization,
  createTag,
  organizationControls,
  setApplication,
  setOrganization,
  tag,
} from './index.ts'

describe('each setting that people change', () => {
  const controls = [organizationControls, ...administered.map(each => each.controls)].flatMap(({ create, set }) => [
    ...create,
    ...set,
  ])

  it('allows only the operator of the installation to change quota, read-only and sandbox', () => {
    const names = controls.filter(({ by }) => by === 'operator').map(({ name }) => name)
    expect([...new Set(names)].toSorted()).toEqual(['fileQuotaBytes', 'readOnly', 'sandbox'])
  })

  it('allows the owner of an organization at most the rates of the specification', () => {
    const most = controls.flatMap(({ name, form }) =>
      form.ownerMaximum === undefined ? [] : [[name, form.ownerMaximum]],
    )
    expect(Object.fromEntries(most)).toEqual({ rateRead: 600, rateWrite: 120 })
  })

  it('has a label, and a description or a list of choices', () => {
    for (const { label, help, choices, form } of controls) {
      expect(label).toMatch(/^[A-Z]/u)
      expect(help !== '' || choices.length > 0 || form.yes !== undefined).toBe(true)
    }
  })
})

describe('the owner of an organization', () => {
  let test: TestDatabase
  let organizationId: string
  const asOwner = () => ({ ...test, as: 'owner' as const })
  beforeAll(async () => {
    test = await createTestDatabase()
    organizationId = (await createOrganization(test, { name: 'Acme' })).id
  })
  afterAll(() => test?.drop())

  it('changes its settings', async () => {
    await setOrganization(asOwner(), { organizationId, name: 'Acme Ltd', currencies: ['EUR'] })
    const { id } = await createTag(asOwner(), { organizationId, name: 'VIP' }, ['deal'])
    await tag.administered.remove(asOwner(), { organizationId, id }, [])
  })

  it('makes no organization, and leaves the quota and whether it is read-only to the operator', async () => {
    await expect(createOrganization(asOwner(), { name: 'Second' })).rejects.toThrow(
      'only the operator of the installation may create an organization',
    )
    await expect(setOrganization(asOwner(), { organizationId, fileQuotaBytes: 1 })).rejects.toThrow(
      'Quota of files: only the operator of the installation may change it',
    )
    await expect(setOrganization(asOwner(), { organizationId, readOnly: false })).rejects.toThrow('only the operator')
  })

  it('gives applications the rates of the specification at most', async () => {
    const input = { organizationId, name: 'ERP', rateRead: 600, rateWrite: 120 }
    const { id } = await createApplication(asOwner(), input)
    const refused = 'Write rate: only the operator of the installation may set more than 120'
    await expect(setApplication(asOwner(), { organizationId, id, rateWrite: 121 })).rejects.toThrow(refused)
    const more = { ...input, name: 'Shop', rateRead: 601 }
    await expect(createApplication(asOwner(), more)).rejects.toThrow('only the operator')
    await createApplication(test, more)
  })
})
