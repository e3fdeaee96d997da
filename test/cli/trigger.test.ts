import { expect, test } from 'vitest'
import { triggers } from '../../packages/cli/src/trigger/events.ts'
import { useCrm } from './support/given.ts'

const given = useCrm()

const events = async (after: unknown) => (await given.organization.client.get(`/changes?after=${String(after)}`)).items

test.each(Object.keys(triggers))('crm trigger %s makes this event happen, and prints the records', async kind => {
  const { data } = await given.organization.client.get('/changes/cursor')
  const { status, out, err } = await given.crm(['trigger', kind, '--yes'])
  expect([status, err]).toEqual([0, ''])
  const steps = out
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(steps.at(-1)).toMatchObject({ kind })
  const happened = await events(data.cursor)
  expect(happened.map(({ resourceId, version }) => [resourceId, version])).toEqual(
    steps.map(({ id, version }) => [id, version]),
  )
  // The feed tells a deal that was won or lost by its move.
  if (kind !== 'deal.won' && kind !== 'deal.lost') return expect(happened.at(-1)).toMatchObject({ kind })
  const { items } = await given.organization.client.get(`/deals/${String(steps.at(-1).id)}/events`)
  return expect(items.map(item => item.kind)).toContain(kind)
})

test('nothing is made in an organization that is no sandbox, unless somebody says yes', async () => {
  const { status, err } = await given.crm(['trigger', 'deal.won'])
  expect([status, err]).toEqual([2, expect.stringContaining('--yes does it without a question')])
  const { out } = await given.inTerminal(
    ['trigger', 'contact.created'],
    [['Test is no sandbox, and this creates a contact there.', 'n']],
  )
  expect(out).toContain('nothing was changed')
  expect((await given.organization.client.get('/contacts')).items).toEqual([])
})

test('an unknown event is refused with the known ones', async () => {
  const { status, err } = await given.crm(['trigger', 'deal.one'])
  expect([status, err]).toEqual([2, expect.stringContaining('deal.won')])
})
