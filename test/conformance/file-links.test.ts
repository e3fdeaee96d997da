import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import {
  type Administration,
  createToken,
  revokeToken,
  rotateToken,
  setApplication,
  setToken,
} from '../../server/src/settings/index.ts'
import { Client } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { attach, download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { csv, expectStatus, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const hour = 3_600_000
const day = 24 * hour
const given = useApi()

/** Who administers the installation of this test, by the clock of its server. */
const administration = (): Administration => ({ ...given.api.test, clock: given.clock })

/** A new token with all scopes, its client, and its address for those who administer. */
async function aToken({ id: organizationId, applicationId }: TestOrganization, expiresIn?: number) {
  const input = { organizationId, applicationId, name: 'Reports', scopes, expiresIn }
  const { id: tokenId, token } = await createToken(administration(), input)
  return { address: { organizationId, tokenId }, client: new Client(given.api.url, token) }
}

async function anExport(client: Client): Promise<string> {
  const { id } = expectStatus(await client.post('/exports', { type: 'contacts' }), 202)
  await runJobs(given.api)
  return String(id)
}

const readExport = async (client: Client, id: string) => (await client.get(`/exports/${id}`)).data

const statusOf = async (url: unknown) => (await download(url)).status

/** A server looks for what was administered twice in a second. */
const ended = (url: unknown) => until('the link to end', async () => (await statusOf(url)) === 404, 10_000)

/** Every kind of link: to an export, to an attachment and to the errors of an import. */
async function allLinks(client: Client, organization: TestOrganization): Promise<unknown[]> {
  const exportId = await anExport(client)
  const { downloadUrl } = await readExport(client, exportId)
  const deal = await aRecord('deal', organization)
  const { items } = await attach(client, `/deals/${deal.id}`, 1)
  const rows = csv(['First name', 'Mail'], ['Ana', 'none'])
  const mapping = { firstName: 'First name', email1: 'Mail' }
  const { errorsFileUrl } = await importFile(given.api, client, rows, { mapping })
  const links = [downloadUrl, items[0]?.url, errorsFileUrl]
  for (const link of links) expect(await statusOf(link)).toBe(200)
  return links
}

describe('a link to a file ends', () => {
  it('with the token that it was shown to, when that is revoked; those of other tokens stay', async () => {
    const organization = await given.organization()
    const { address, client } = await aToken(organization)
    const links = await allLinks(client, organization)
    const others = await allLinks(organization.client, organization)
    await revokeToken(administration(), address)
    for (const link of links) await ended(link)
    for (const link of others) expect(await statusOf(link)).toBe(200)
  })

  it('when the application of the token is disabled', async () => {
    const organization = await given.organization()
    const { client } = await aToken(organization)
    const links = await allLinks(client, organization)
    const { id: organizationId, applicationId } = organization
    await setApplication(administration(), { organizationId, id: applicationId, enabled: false })
    for (const link of links) await ended(link)
  })

  it('when the token expires, which is the time that it shows', async () => {
    const organization = await given.organization()
    const id = await anExport(organization.client)
    const { client } = await aToken(organization, 90_500)
    const { downloadUrl, downloadUrlExpiresInSeconds } = await readExport(client, id)
    const deal = await aRecord('deal', organization)
    const { items } = await attach(client, `/deals/${deal.id}`, 1)
    expect([downloadUrlExpiresInSeconds, items[0]?.urlExpiresInSeconds]).toEqual([90, 90])
    given.clock.advance(90_499)
    expect([await statusOf(downloadUrl), await statusOf(items[0]?.url)]).toEqual([200, 200])
    given.clock.advance(1)
    expect([await statusOf(downloadUrl), await statusOf(items[0]?.url)]).toEqual([404, 404])
  })

  it('when the token is to expire sooner than it was when the link was shown', async () => {
    const organization = await given.organization()
    const { address, client } = await aToken(organization)
    const id = await anExport(client)
    const { downloadUrl } = await readExport(client, id)
    await setToken(administration(), { ...address, expiresIn: hour })
    expect(await statusOf(downloadUrl)).toBe(200)
    given.clock.advance(hour)
    await ended(downloadUrl)
  })

  it('when the token loses a scope that the file needs, and not when it loses another', async () => {
    const organization = await given.organization()
    const { address, client } = await aToken(organization)
    const [exported, attached, errors] = await allLinks(client, organization)
    const lose = (...lost: string[]) =>
      setToken(administration(), { ...address, scopes: scopes.filter(scope => !lost.includes(scope)) })
    await lose('crm_contact_data_read')
    await ended(exported)
    expect([await statusOf(attached), await statusOf(errors)]).toEqual([200, 200])
    await lose('crm_files_read')
    await ended(attached)
    expect([await statusOf(exported), await statusOf(errors)]).toEqual([200, 200])
    await lose('crm_import_manage')
    await ended(errors)
    await lose('crm_export_manage')
    await ended(exported)
    await lose('crm_deals_read')
    await ended(attached)
  })

  it('with the overlap of the token that it was shown to, when that is rotated', async () => {
    const organization = await given.organization()
    const { address, client } = await aToken(organization)
    const id = await anExport(client)
    const early = await readExport(client, id)
    const { token } = await rotateToken(administration(), { ...address, overlap: 2 * hour })
    const shown = await until('the end of the old token to be known', async () => {
      const data = await readExport(client, id)
      return data.downloadUrlExpiresInSeconds === 7200 && data
    })
    const { downloadUrl } = await readExport(new Client(given.api.url, token), id)
    given.clock.advance(2 * hour - 1)
    expect([await statusOf(early.downloadUrl), await statusOf(shown.downloadUrl)]).toEqual([200, 200])
    given.clock.advance(1)
    expect([await statusOf(early.downloadUrl), await statusOf(shown.downloadUrl)]).toEqual([404, 404])
    expect(await statusOf(downloadUrl)).toBe(200)
  })
})

it('a link in a replayed answer is that of the requesting token', async () => {
  const organization = await given.organization()
  const { address, client } = await aToken(organization)
  const deal = await aRecord('deal', organization)
  const ask = (asking: Client) => attach(asking, `/deals/${deal.id}`, 1, undefined, { key: 'offer' })
  const [first, again] = [await ask(client), await ask(organization.client)]
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  await revokeToken(administration(), address)
  await ended(first.items[0]?.url)
  expect(await statusOf(again.items[0]?.url)).toBe(200)
})

it('the last links of an export end with it, and show that time', async () => {
  const { client } = await given.organization()
  const id = await anExport(client)
  given.clock.advance(6 * day)
  expect((await readExport(client, id)).downloadUrlExpiresInSeconds).toBe(86_400)
  given.clock.advance(day - 60_000)
  const { downloadUrl, downloadUrlExpiresInSeconds, status } = await readExport(client, id)
  expect([status, downloadUrlExpiresInSeconds]).toEqual(['completed', 60])
  given.clock.advance(59_999)
  expect(await statusOf(downloadUrl)).toBe(200)
  given.clock.advance(1)
  expect(await statusOf(downloadUrl)).toBe(404)
  expect((await readExport(client, id)).status).toBe('expired')
})
