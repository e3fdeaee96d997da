import { describe, expect, it } from 'vitest'
import { inFile } from '../../server/src/archive/left-out.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { latestDeliveries } from '../../server/src/webhooks/delivery-log.ts'
import { removeOldDeliveries } from '../../server/src/webhooks/upkeep.ts'
import { aPerson, erase, traces } from '../conformance/support/persons.ts'
import { aCalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aWebhook as createdWebhook } from '../support/webhooks.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

const logOf = (id: string) =>
  latestDeliveries(around.api.test.database, {
    organizationId: around.organization.id,
    id,
    isFailed: false,
    most: 100,
  })

const selectAnswers = statement(
  'test_select_answers',
  'select f.answer from webhook_failures f where f.organization_id = $1 order by f.at, f.seq',
)
const stored = async () =>
  (await around.api.test.database.query(selectAnswers, [around.organization.id])).map(({ answer }) => answer)

describe('the answer to a failed call', () => {
  it('is logged with its first 1,024 bytes, cut between characters; that of a delivery is not', async () => {
    const receiver = await aCalledServer((_, response) =>
      response.writeHead(receiver.received.length === 1 ? 422 : 200).end(`x${'ä'.repeat(3000)}`),
    )
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    const answers = (await logOf(id)).map(({ seq, answer }) => [seq, answer])
    expect(answers.toSorted()).toEqual([
      [1, `x${'ä'.repeat(511)}`],
      [2, null],
    ])
  })

  it('contains neither a header of the webhook nor a secret, and no character that does harm', async () => {
    const token = 'credential-0a1b2c'
    let secret = ''
    const receiver = await aCalledServer((request, response) => {
      const { authorization } = request.headers
      const told = `${authorization} ${String(authorization).slice(7)} ${secret} ${secret.slice(6)} a\u0000b\u001b[31mc\n`
      response.writeHead(400).end(Buffer.concat([Buffer.from(told), Buffer.from([0xff, 0x2e])]))
    })
    const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
    const url = `http://127.0.0.1:${receiver.port}/hook`
    const made = await createdWebhook(around.api.test, around.organization, { url, headers })
    secret = made.secret
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, made.id, { seq: 1 })
    expect(await stored()).toEqual(['[header] [header] [secret] [secret] a\ufffdb\ufffd[31mc\n\ufffd.'])
  })

  it('is in no file of an organization', () => {
    const table = { name: 'webhook_failures', columns: ['seq', 'answer'], key: ['seq'], identity: null }
    expect(inFile([table]).map(({ columns }) => columns)).toEqual([['seq']])
  })

  it.each(['anonymize', 'full'])('is removed with its person by mode %s, and the call stays', async mode => {
    const receiver = await aCalledServer((_, response) => response.writeHead(400).end(receiver.received.at(-1)?.body))
    const id = await aWebhook(around, receiver, { kinds: ['contact.created'], body: 'full' })
    startDelivery(around.api)
    const { id: person } = await aPerson(around.organization)
    const other = await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    await until('both answers', async () => (await stored()).length === 2)
    expect((await stored()).join(' ')).toMatch(traces)
    expect((await erase(around.organization, person, mode)).status).toBe(200)
    const log = await logOf(id)
    expect(log.map(({ recordId, status, answer }) => [recordId, status, answer === null])).toEqual(
      expect.arrayContaining([
        [person, 400, true],
        [other, 400, false],
      ]),
    )
    expect((await stored()).join(' ')).not.toMatch(traces)
  })

  it('that comes after the erasure of its person is dropped by the upkeep', async () => {
    let answer = () => {}
    const receiver = await aCalledServer((_, response) => {
      answer = () => void response.writeHead(400).end('Xantippe is unknown')
    })
    const id = await aWebhook(around, receiver, { kinds: ['contact.created'] })
    startDelivery(around.api)
    const { id: person } = await aPerson(around.organization)
    await until('the call', () => receiver.received.length === 1)
    expect((await erase(around.organization, person, 'full')).status).toBe(200)
    answer()
    await until('the answer', async () => (await stored()).length === 1)
    await removeOldDeliveries.run(around.api.services, new AbortController().signal)
    expect([await stored(), (await logOf(id)).length]).toEqual([[null], 1])
  })
})
