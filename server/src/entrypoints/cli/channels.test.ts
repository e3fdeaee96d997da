import { beforeAll, expect, it } from 'vitest'
import { useCommands } from '../../../../test/support/commands.ts'

const commands = useCommands({ serve: async () => 0, confirm: async () => false })
const json = (...words: string[]) => commands().json(...words)

let of: readonly [string, string]
beforeAll(async () => {
  of = ['--organization', String((await json('organization', 'create', '--name', 'Acme')).id)]
})

it('channels are created, listed, shown, changed and removed', async () => {
  const words = ['--type', 'telegram', '--name', ' Shop ', '--identifier', '@acme-shop']
  const { id } = await json('channel', 'create', ...of, ...words)
  const shown = {
    id,
    type: 'telegram',
    name: 'Shop',
    status: 'active',
    identifier: '•••hop',
    aiOperatorEnabled: false,
    createdAt: expect.stringMatching(/Z$/u),
  }
  expect(await json('channel', 'show', String(id).toUpperCase())).toEqual({ organizationId: of[1], ...shown })
  const other = await json('channel', 'create', ...of, '--type', 'sms', '--name', 'Texts', '--status', 'disabled')
  const { channels } = await json('channel', 'list', ...of)
  expect(channels).toEqual([
    shown,
    { ...shown, id: other.id, type: 'sms', name: 'Texts', status: 'disabled', identifier: null },
  ])
  expect(await json('channel', 'set', String(id), '--status', 'disconnected', '--no-identifier')).toEqual({ id })
  expect(await json('channel', 'show', String(id))).toEqual({
    organizationId: of[1],
    ...shown,
    status: 'disconnected',
    identifier: null,
  })
  expect(await json('channel', 'remove', String(id))).toEqual({ id })
  expect((await json('channel', 'list', ...of)).channels).toHaveLength(1)
  const left = 'select count(*)::integer as count from ai_operators where organization_id = $1'
  expect(await commands().one(left, of[1])).toEqual({ count: 1 })
})

it('a change that names nothing is refused, as for other settings', async () => {
  const { id } = await json('channel', 'create', ...of, '--type', 'sms', '--name', 'Unchanged')
  expect(await commands().reasonOf('channel', 'set', String(id))).toBe('nothing to change was given')
})

it('an organization can have two hundred', async () => {
  const full = String((await json('organization', 'create', '--name', 'Full')).id)
  await commands().test.database.script(
    `insert into channels (organization_id, id, version, created_at, updated_at, type, name, status)
     select '${full}', gen_random_uuid(), 1, now(), now(), 'sms', 'Texts', 'active' from generate_series(1, 200)`,
  )
  const words = ['--organization', full, '--type', 'sms', '--name', 'One more']
  expect(await commands().reasonOf('channel', 'create', ...words)).toMatch(/200 at most/u)
})

it.each([
  [['create', '--type', 'pigeon', '--name', 'A'], /type/u],
  [['create', '--type', 'sms', '--name', ' '], /name/u],
  [['create', '--type', 'sms', '--name', 'A', '--status', 'broken'], /status/u],
])('refuses %j with the reason', async ([action = '', ...words], reason) => {
  expect(await commands().reasonOf('channel', action, ...of, ...words)).toMatch(reason)
})

it.each([['show'], ['set'], ['remove']])('%s reports an unknown channel', async action => {
  expect(await commands().reasonOf('channel', action, '019bd1c8-7c40-7000-8000-000000000001')).toMatch(
    /no such channel/u,
  )
})
