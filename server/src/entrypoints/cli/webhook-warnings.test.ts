import { expect, it } from 'vitest'
import { useCommands } from '../../../../test/support/commands.ts'
import { noEntrypoints } from '../../../../test/support/no-entrypoints.ts'

const commands = useCommands(noEntrypoints)
const json = (...words: string[]) => commands().json(...words)

it('webhook create, set and resume warn if a webhook lacks a scope that its filters need, unless it is paused', async () => {
  const { id: organization } = await json('organization', 'create', '--name', 'Acme')
  const { id } = await json('application', 'create', '--organization', String(organization), '--name', 'ERP')
  const application = String(id)
  await json('token', 'create', '--application', application, '--name', 'Sync', '--scopes', 'all')
  const creation = ['webhook', 'create', '--application', application, '--url', 'https://hooks.example/crm']
  const filtered = ['--kinds', 'contact.*', '--filter', 'email=ann@acme.example', '--scopes', 'crm_contacts_read']
  const warning = 'the webhook is held until it has the scopes that its filters need: crm_contact_data_read'
  const made = await commands().run([...creation, '--name', 'Lacking', ...filtered])
  expect([made.status, made.err]).toEqual([0, `warning: ${warning}\n`])
  const set = (...more: string[]) => json('webhook', 'set', 'Lacking', ...more)
  expect(await set('--concurrency', '3')).toMatchObject({ warnings: [warning] })
  expect(await json('webhook', 'pause', 'Lacking')).toMatchObject({ warnings: [] })
  expect(await set('--concurrency', '4')).toMatchObject({ warnings: [] })
  expect(await json('webhook', 'resume', 'Lacking')).toMatchObject({ warnings: [warning] })
  expect(await set('--no-scopes')).toMatchObject({ warnings: [] })
  expect((await commands().run(['webhook', 'set', 'Lacking', '--concurrency', '5'])).err).toBe('')
})
