import { describe, expect, it } from 'vitest'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { csv, importFile, upload } from './support/imports.ts'
import { beginUndo, refusalOfUndo, undo } from './support/undos.ts'

const given = useApi()

const mapping = { externalId: 'Key', firstName: 'First' }
const table = csv(['Key', 'First'], ['a', 'Anna'])

const importAnna = ({ client }: TestOrganization, more: { readonly dryRun?: boolean } = {}) =>
  importFile(given.api, client, table, { mapping, ...more })

describe('an import can be undone', () => {
  it('once: another undo changes nothing', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await importAnna(organization)
    const first = await undo(given, organization, id)
    await importAnna(organization)
    expect(await undo(given, organization, id)).toEqual(first)
    expect((await client.get('/contacts?externalId=a')).items).toMatchObject([{ version: 1 }])
    const entries = (await client.get('/audit?resourceType=import')).items.filter(({ resourceId }) => resourceId === id)
    expect(entries.map(({ action, actorType }) => [action, actorType]).slice(0, 2)).toEqual([
      ['import.undone', 'system'],
      ['import.undo_started', 'system'],
    ])
  })

  it('for 30 days', async () => {
    const organization = await given.organization()
    const { id } = await importAnna(organization)
    const until = given.clock.now() + 30 * 86_400_000
    const now = given.clock.now()
    given.clock.advance(30 * 86_400_000)
    const { data } = await organization.client.get(`/imports/${id}`)
    const refused = await refusalOfUndo(given, organization, id)
    given.clock.advance(now - given.clock.now())
    expect(data.undoableUntil).toBeNull()
    expect(refused).toBe('An import can be undone for 30 days, and no longer than audit entries are kept')
    expect((await organization.client.get(`/imports/${id}`)).data.undoableUntil).toBe(new Date(until).toISOString())
  })

  it('if it has changed something, and has ended', async () => {
    const organization = await given.organization()
    const { client } = organization
    const dry = await importAnna(organization, { dryRun: true })
    expect(dry.undoableUntil).toBeNull()
    expect(await refusalOfUndo(given, organization, dry.id)).toBe('A dry run has changed nothing')
    const { data: running } = await upload(client, table)
    expect(await refusalOfUndo(given, organization, running.id)).toBe(
      'An import that is uploaded cannot be undone: cancel it first',
    )
    const empty = await importFile(given.api, client, csv(['Key', 'First']), { mapping })
    expect(await refusalOfUndo(given, organization, empty.id)).toBe('The import has changed nothing')
  })

  it('by its own organization alone', async () => {
    const [organization, other] = [await given.organization(), await given.organization()]
    const { id } = await importAnna(organization)
    expect(await refusalOfUndo(given, other, id)).toBe(await refusalOfUndo(given, other, other.id))
    await beginUndo(given, organization, id)
  })
})
