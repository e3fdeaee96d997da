import { describe, expect, it } from 'vitest'
import { importJob } from '../../server/src/crm/imports/run/import-job.ts'
import { scopes } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import {
  type Administration,
  createToken,
  revokeToken,
  rotateToken,
  setApplication,
  setToken,
} from '../../server/src/settings/index.ts'
import { aChunk, aContext, admitted, byId, doneTasks, someRecords } from '../conformance/support/bulk-jobs.ts'
import { useApi } from '../conformance/support/given.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { Client } from '../support/client.ts'
import { runJobs, untilTokenHasEnded } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

const hour = 3_600_000
const given = useApi()

/** Who administers the installation of this test, by the clock of its server. */
const administration = (): Administration => ({ ...given.api.test, clock: given.clock })

/** A token that begins jobs, beside the one that reads them. */
interface Begun {
  readonly organization: TestOrganization
  readonly address: { readonly organizationId: string; readonly tokenId: string }
  readonly client: Client
}

async function aToken(expiresIn?: number): Promise<Begun> {
  const organization = await given.organization()
  const { id: organizationId, applicationId } = organization
  const input = { organizationId, applicationId, name: 'Nightly', scopes, expiresIn }
  const { id: tokenId, token: text } = await createToken(administration(), input)
  return { organization, address: { organizationId, tokenId }, client: new Client(given.api.url, text) }
}

/** What `token remove` leaves. */
const removed = (organization: TestOrganization, tokenId: string) =>
  given.configure(organization, 'delete from api_tokens where organization_id = $1 and id = $2', [
    organization.id,
    tokenId,
  ])

const without = (...lost: string[]) => scopes.filter(scope => !lost.includes(scope))

const read = async (path: string, { organization }: Begun): Promise<JsonObject> =>
  (await organization.client.get(path)).data

async function queuedBulk({ organization, client }: Begun, count = 2): Promise<string> {
  return `/bulk-jobs/${await admitted(client, doneTasks(await someRecords('task', count, organization)))}`
}

async function queuedExport({ client }: Begun, body: object = { type: 'contacts' }): Promise<string> {
  return `/exports/${expectStatus(await client.post('/exports', body), 202).id}`
}

async function queuedImport({ organization, client }: Begun, rows: number, more: object = {}): Promise<string> {
  const names = Array.from({ length: rows }, (_, index) => [`Contact ${index}`, `c${index}@example.com`])
  const { id } = expectStatus(await upload(organization.client, csv(['Name', 'Mail'], ...names)), 201)
  const body = { mapping: { lastName: 'Name', email1: 'Mail' }, dedupPolicy: 'create_only', ...more }
  expectStatus(await client.post(`/imports/${id}/start`, body), 202)
  return `/imports/${id}`
}

const idIn = (path: string) => String(path.split('/').at(-1))

describe('a job that waits when its token ends', () => {
  const ends: readonly [string, (begun: Begun) => Promise<unknown>, string][] = [
    ['is revoked', ({ address }) => revokeToken(administration(), address), 'was revoked'],
    [
      'expires',
      async ({ address }) => {
        await setToken(administration(), { ...address, expiresIn: hour })
        given.clock.advance(hour)
      },
      'has expired',
    ],
    [
      'is removed',
      async ({ organization, address }) => {
        await revokeToken(administration(), address)
        await removed(organization, address.tokenId)
      },
      'was removed',
    ],
    [
      'belongs to an application that is disabled',
      ({ organization: { id: organizationId, applicationId } }) =>
        setApplication(administration(), { organizationId, id: applicationId, enabled: false }),
      'was disabled',
    ],
  ]

  it.each(ends)('because the token %s, fails and does nothing', async (_, end, reason) => {
    const begun = await aToken()
    const paths = [await queuedBulk(begun), await queuedExport(begun), await queuedImport(begun, 2)]
    await end(begun)
    await runJobs(given.api)
    await setApplication(administration(), {
      organizationId: begun.organization.id,
      id: begun.organization.applicationId,
      enabled: true,
    })
    await until(
      'the application to be enabled',
      async () => (await begun.organization.client.get('/contacts')).status === 200,
    )
    for (const path of paths) {
      const { status, failure } = await read(path, begun)
      expect([path.split('/')[1], status, failure]).toEqual([
        path.split('/')[1],
        'failed',
        { code: 'invalid_token', message: expect.stringContaining(reason) },
      ])
    }
    expect((await read(String(paths[0]), begun)).counters).toMatchObject({ succeeded: 0, canceled: 2 })
    expect((await read(String(paths[2]), begun)).counters).toMatchObject({ created: 0, pending: 2 })
    expect((await begun.organization.client.get('/contacts')).items).toEqual([])
  })
})

describe('a job that is at work when its token is revoked', () => {
  it('keeps and counts the targets that were changed, and changes no more', async () => {
    const begun = await aToken()
    const path = await queuedBulk(begun, 130)
    expect(await aChunk(given.api, begun.organization, idIn(path))).toBe('again')
    await revokeToken(administration(), begun.address)
    await untilTokenHasEnded(given.api.services, begun.address)
    await runJobs(given.api)
    expect(await read(path, begun)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'invalid_token',
        message: 'The token that began the job was revoked; targets that were changed stay',
      },
      counters: { pending: 0, succeeded: 100, unchanged: 0, failed: 0, canceled: 30 },
    })
    const { items } = await begun.organization.client.get('/audit?action=bulk_job.failed')
    expect(items.map(({ resourceId }) => resourceId)).toEqual([idIn(path)])
  })

  it('keeps and counts the rows that were applied, and applies no more', async () => {
    const begun = await aToken()
    const path = await queuedImport(begun, 130)
    const context = { ...aContext(given.api, begun.organization), turnEnds: 0 }
    expect(await importJob.run({ importId: idIn(path) }, context)).toBe('again')
    await revokeToken(administration(), begun.address)
    await untilTokenHasEnded(given.api.services, begun.address)
    await runJobs(given.api)
    expect(await read(path, begun)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'invalid_token',
        message: 'The token that began the job was revoked; rows that were applied stay',
      },
      counters: { total: 130, created: 100, pending: 30 },
    })
  })
})

describe('a job whose token has lost a scope', () => {
  it.each([
    ['crm_bulk_manage', queuedBulk],
    ['crm_export_manage', queuedExport],
    ['crm_contact_data_read', queuedExport],
    [
      'crm_tags_read',
      (begun: Begun) => queuedExport(begun, { type: 'deal_contacts', filters: { tagIds: [begun.organization.tag] } }),
    ],
    ['crm_import_manage', (begun: Begun) => queuedImport(begun, 2)],
    ['crm_contact_data_write', (begun: Begun) => queuedImport(begun, 2)],
    ['crm_companies_write', (begun: Begun) => queuedImport(begun, 2, { missingCompany: 'create' })],
    ['crm_amounts_write', queuedAmounts],
  ] as const)('fails without %s, and says so', async (scope, queued) => {
    const begun = await aToken()
    const path = await queued(begun)
    await setToken(administration(), { ...begun.address, scopes: without(scope) })
    await runJobs(given.api)
    const { status, failure } = await read(path, begun)
    expect([status, failure]).toEqual([
      'failed',
      { code: 'insufficient_scope', message: expect.stringContaining(`The token that began the job lacks ${scope}`) },
    ])
  })

  it('goes on when it does not need that scope', async () => {
    const begun = await aToken()
    const paths = [await queuedBulk(begun), await queuedExport(begun, { type: 'deals' }), await queuedImport(begun, 2)]
    const needed = ['crm_bulk_manage', 'crm_export_manage', 'crm_import_manage', 'crm_contact_data_write'] as const
    const shown = ['crm_amounts_read', 'crm_custom_fields_read', 'crm_operators_read', 'crm_tags_read'] as const
    await setToken(administration(), { ...begun.address, scopes: [...needed, ...shown] })
    await runJobs(given.api)
    for (const path of paths) expect((await read(path, begun)).status).toBe('completed')
  })
})

async function queuedAmounts({ organization, client }: Begun): Promise<string> {
  const targets = (await someRecords('deal', 2, organization)).map(byId)
  const changes = { amount: '10.00', currency: 'USD' }
  return `/bulk-jobs/${await admitted(client, { entityType: 'deal', action: 'update', targets, changes })}`
}

describe('a job whose token is rotated', () => {
  it('goes on with the tokens that follow, also when those before are removed', async () => {
    const begun = await aToken()
    const paths = [await queuedBulk(begun), await queuedExport(begun), await queuedImport(begun, 2)]
    const { organizationId } = begun.address
    const second = await rotateToken(administration(), begun.address)
    await rotateToken(administration(), { organizationId, tokenId: second.id })
    given.clock.advance(1)
    await removed(begun.organization, begun.address.tokenId)
    await runJobs(given.api)
    for (const path of paths) expect((await read(path, begun)).status).toBe('completed')
  })

  it('goes on while the old token is valid, and fails when no token has the scope any more', async () => {
    const begun = await aToken()
    const early = await queuedBulk(begun)
    const { organizationId } = begun.address
    const { id: tokenId } = await rotateToken(administration(), { ...begun.address, overlap: hour })
    await setToken(administration(), { organizationId, tokenId, scopes: without('crm_bulk_manage') })
    await runJobs(given.api)
    expect((await read(early, begun)).status).toBe('completed')
    const late = await queuedBulk(begun)
    given.clock.advance(hour)
    await runJobs(given.api)
    expect(await read(late, begun)).toMatchObject({ status: 'failed', failure: { code: 'insufficient_scope' } })
  })

  it('ends with the token that followed', async () => {
    const begun = await aToken()
    const path = await queuedBulk(begun)
    const { organizationId } = begun.address
    const { id: tokenId } = await rotateToken(administration(), begun.address)
    await revokeToken(administration(), { organizationId, tokenId })
    await runJobs(given.api)
    expect(await read(path, begun)).toMatchObject({ status: 'failed', failure: { code: 'invalid_token' } })
  })
})
