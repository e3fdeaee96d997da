import { expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { agentOf, channelsPath, operatorPath } from './support/agent-requests.ts'
import { allBut, useApi } from './support/given.ts'
import { issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()
const time = expect.stringMatching(/Z$/u)
const handoff = { onRequest: true, onNoAnswer: true, keywords: [], assigneeUuid: null, message: null }

it('channels are listed with their identifiers masked', async () => {
  const organization = await given.organization()
  const { body } = await organization.client.get(channelsPath)
  expect(body).toEqual({
    status: 'OK',
    data: [
      {
        id: organization.channel,
        type: 'telegram',
        name: 'Shop',
        status: 'active',
        identifier: '•••olga',
        aiOperatorEnabled: false,
        createdAt: time,
      },
    ],
  })
})

it.each([
  ['+49 170 1234567', '•••4567'],
  ['@olga', '•••a'],
  ['ab', '•••'],
  [null, null],
])('the identifier %j shows its last characters, and no more than a third', async (identifier, shown) => {
  const organization = await given.organization()
  await given.sql('update channels set identifier = $2 where organization_id = $1', [organization.id, identifier])
  expect((await organization.client.get(channelsPath)).items).toMatchObject([{ identifier: shown }])
})

it('every channel has an AI operator, which is switched off', async () => {
  const organization = await given.organization()
  const { body } = await organization.client.get(operatorPath(organization))
  expect(body).toEqual({
    status: 'OK',
    data: {
      channelId: organization.channel,
      enabled: false,
      agentId: null,
      mode: 'autopilot',
      schedule: null,
      handoff,
      greeting: null,
      replyDelaySeconds: 0,
      maxRepliesPerDialog: null,
      updatedAt: time,
    },
  })
})

it('a change of any part leaves the rest, and the members of the handoff that it does not name', async () => {
  const organization = await given.organization()
  const { client, operator } = organization
  const at = operatorPath(organization)
  const agent = await agentOf(organization)
  const schedule = {
    timeZone: 'Europe/Berlin',
    intervals: [
      { days: [1, 2, 3], from: '09:00', to: '18:30' },
      { days: [7], from: '22:00', to: '02:00' },
    ],
  }
  const first = { enabled: true, agentId: agent.id, mode: 'copilot', schedule, replyDelaySeconds: 5 }
  const { data } = await client.patch(at, { ...first, schedule: { ...schedule, timeZone: 'europe/BERLIN' } })
  expect(data).toMatchObject({ ...first, handoff, greeting: null })
  const second = { handoff: { keywords: ['refund', 'person'], assigneeUuid: operator }, maxRepliesPerDialog: 20 }
  const changed = await client.patch(at, second)
  expect(changed.data).toMatchObject({ ...first, maxRepliesPerDialog: 20, handoff: { ...handoff, ...second.handoff } })
  const third = await client.patch(at, { handoff: { onNoAnswer: false, message: ' One moment ' }, schedule: null })
  expect(third.data).toMatchObject({
    schedule: null,
    handoff: { ...handoff, ...second.handoff, onNoAnswer: false, message: 'One moment' },
  })
  expect((await client.get(at)).data).toEqual(third.data)
  expect((await client.get(channelsPath)).items[0]?.aiOperatorEnabled).toBe(true)
})

it('changes at once lose nothing of each other', async () => {
  const organization = await given.organization()
  const { client } = organization
  const at = operatorPath(organization)
  const changes: JsonObject[] = [
    { greeting: 'Hello' },
    { replyDelaySeconds: 7 },
    { handoff: { onRequest: false } },
    { handoff: { keywords: ['refund'] } },
  ]
  await Promise.all(changes.map(change => client.patch(at, change)))
  expect((await client.get(at)).data).toMatchObject({
    greeting: 'Hello',
    replyDelaySeconds: 7,
    handoff: { onRequest: false, keywords: ['refund'] },
  })
})

it('cannot be enabled without an agent, nor lose the agent while it is', async () => {
  const organization = await given.organization()
  const { client } = organization
  const at = operatorPath(organization)
  const refused = await client.patch(at, { enabled: true })
  expect([outcome(refused), issuePaths(refused)]).toEqual(['422 validation_error', ['/enabled']])
  const { id: agentId } = await agentOf(organization)
  expect((await client.patch(at, { enabled: true, agentId })).status).toBe(200)
  expect(outcome(await client.patch(at, { agentId: null }))).toBe('422 validation_error')
  expect((await client.patch(at, { enabled: false, agentId: null })).data).toMatchObject({
    enabled: false,
    agentId: null,
  })
})

it('names an agent and a person of the organization', async () => {
  const [organization, others] = [await given.organization(), await given.organization()]
  const at = operatorPath(organization)
  const foreign = await agentOf(others)
  const unknown = await organization.client.patch(at, { agentId: foreign.id })
  expect([outcome(unknown), unknown.details]).toEqual(['404 not_found', { path: '/agentId' }])
  for (const assigneeUuid of [unknownId, organization.inactiveOperator, others.operator]) {
    const refused = await organization.client.patch(at, { handoff: { assigneeUuid } })
    expect([outcome(refused), issuePaths(refused)]).toEqual(['422 validation_error', ['/handoff/assigneeUuid']])
  }
  expect(outcome(await organization.client.get(operatorPath(others)))).toBe('404 not_found')
  expect(outcome(await organization.client.patch(operatorPath(others), { greeting: 'A' }))).toBe('404 not_found')
})

it('a person who is inactive since stays named, and is not named anew', async () => {
  const organization = await given.organization()
  const { client, operator: assigneeUuid } = organization
  const at = operatorPath(organization)
  expect((await client.patch(at, { handoff: { assigneeUuid } })).status).toBe(200)
  const away = 'update operators set active = false where organization_id = $1 and id = $2'
  await given.configure(organization, away, [organization.id, assigneeUuid])
  const kept = await client.patch(at, { handoff: { assigneeUuid, message: 'One moment' } })
  expect([kept.status, kept.data.handoff]).toMatchObject([200, { assigneeUuid, message: 'One moment' }])
  expect((await client.patch(at, { handoff: { assigneeUuid: null } })).status).toBe(200)
  expect(outcome(await client.patch(at, { handoff: { assigneeUuid } }))).toBe('422 validation_error')
})

it('a change needs both scopes, and without the read scope shows a receipt', async () => {
  const organization = await given.organization()
  const at = operatorPath(organization)
  for (const scope of ['channels_manage', 'ai_agents_read'] as const) {
    const refused = await (await organization.token(allBut(scope))).patch(at, { greeting: 'A' })
    expect([outcome(refused), refused.details.missingScopes]).toEqual(['403 insufficient_scope', [scope]])
  }
  const writer = await organization.token(['channels_manage', 'ai_agents_read'])
  expect((await writer.patch(at, { greeting: 'A' })).data).toEqual({ channelId: organization.channel, updatedAt: time })
})

const interval = { days: [1], from: '09:00', to: '18:00' }
it.each<[string, JsonObject]>([
  ['/mode', { mode: 'manual' }],
  ['/greeting', { greeting: 'x'.repeat(2001) }],
  ['/replyDelaySeconds', { replyDelaySeconds: 301 }],
  ['/replyDelaySeconds', { replyDelaySeconds: null }],
  ['/maxRepliesPerDialog', { maxRepliesPerDialog: 0 }],
  ['/maxRepliesPerDialog', { maxRepliesPerDialog: 1001 }],
  ['/schedule/timeZone', { schedule: { timeZone: 'Mars/Olympus', intervals: [interval] } }],
  ['/schedule/intervals', { schedule: { timeZone: 'UTC', intervals: [] } }],
  ['/schedule/intervals', { schedule: { timeZone: 'UTC', intervals: Array.from({ length: 51 }, () => interval) } }],
  ['/schedule/intervals/0/days/0', { schedule: { timeZone: 'UTC', intervals: [{ ...interval, days: [0] }] } }],
  ['/schedule/intervals/0/from', { schedule: { timeZone: 'UTC', intervals: [{ ...interval, from: '9:00' }] } }],
  ['/schedule/intervals/0/to', { schedule: { timeZone: 'UTC', intervals: [{ ...interval, to: '09:00' }] } }],
  ['/handoff/keywords', { handoff: { keywords: Array(51).fill('a') } }],
  ['/handoff/keywords/0', { handoff: { keywords: ['x'.repeat(101)] } }],
  ['/handoff/keywords/0', { handoff: { keywords: [' '] } }],
  ['/handoff/message', { handoff: { message: 'x'.repeat(1001) } }],
  ['/handoff', { handoff: null }],
])('refuses %s that is malformed', async (path, body) => {
  const organization = await given.shared()
  const refused = await organization.client.patch(operatorPath(organization), body)
  expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', [path]])
})
