import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach } from '../conformance/support/files.ts'
import { expectStatus } from '../conformance/support/imports.ts'
import { aRecord, outcome } from '../conformance/support/requests.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import { Bucket } from '../support/a-bucket.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { endingInTurn } from './support/ending-in-turn.ts'

let bucket: Bucket
let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  bucket = await Bucket.start()
  api = await startApi({ s3: bucket.settings })
  organization = await anOrganization(api)
})
afterAll(async () => {
  await api.close()
  await bucket.stop()
  expect(api.failures).toEqual([])
})

/** Sends requests, and does the work when the bucket has got the bytes of all of them, and before it has kept them. */
async function whileStored<Answered>(requests: readonly (() => Promise<Answered>)[], work: () => Promise<unknown>) {
  let open = () => {}
  bucket.keepsBytesAfter = new Promise<void>(resolve => {
    open = resolve
  })
  const arrived = bucket.requests + requests.length
  try {
    const answers = requests.map(send => send())
    await until('the bytes to arrive', () => bucket.requests === arrived)
    await work()
    open()
    return await Promise.all(answers)
  } finally {
    open()
  }
}

describe('files that are stored before their request is decided for good', () => {
  it('are removed from the bucket when another request has changed the record meanwhile', async () => {
    const { client } = organization
    const deal = `/deals/${(await aRecord('deal', organization)).id}`
    const kept = bucket.files.size
    const [answer] = await whileStored([() => attach(client, deal, 1)], async () => {
      expectStatus(await client.patch(deal, { expectedVersion: 1, title: 'Changed' }), 200)
    })
    expect(answer === undefined ? '' : outcome(answer)).toBe('409 version_conflict')
    await until('the bucket to lose the file', () => bucket.files.size === kept)
    expect((await client.get(`${deal}/files`)).items).toEqual([])
  })

  it('are kept once when two uploads bring the same bytes', async () => {
    const { client } = organization
    const base = await aBase(client)
    const kept = bucket.files.size
    const upload = () => putFile(client, { base, id: 'faq', name: 'faq.txt', content: 'Tea is hot.' })
    const answers = await whileStored([upload, upload], async () => {})
    expect(answers.map(outcome)).toEqual(['200', '200'])
    await until('the bucket to lose the other file', () => bucket.files.size === kept + 1)
    expect((await client.get(`${basesPath}/${base}`)).data).toMatchObject({ filesCount: 1 })
  })
})

it('an upload of bytes that were there when it began and are gone when it is decided gets a 503, and succeeds when repeated', async () => {
  const { client } = organization
  const base = await aBase(client)
  const file = { base, id: 'faq', name: 'faq.txt', content: 'Tea is hot.' }
  expectStatus(await putFile(client, file), 200)
  const upload = () => putFile(client, { ...file, key: 'again' })
  const ends = await endingInTurn(api.test, organization, [
    async () => outcome(await client.delete(`${basesPath}/${base}/files/faq`)),
    async () => outcome(await upload()),
  ])
  expect(ends).toEqual(['200', '503 service_unavailable'])
  expect(api.failures.splice(0)).toMatchObject([{ facts: { busy: true } }])
  expect(outcome(await upload())).toBe('200')
  expect((await client.get(`${basesPath}/${base}`)).data).toMatchObject({ filesCount: 1 })
})
