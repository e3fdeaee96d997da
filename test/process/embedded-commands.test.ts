import { expect, test } from 'vitest'
import { runCommand } from '../support/commands.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { useProcesses } from '../support/process.ts'

const processes = useProcesses()

test('commands start the embedded database that they need, and stop it again', async () => {
  const variables = { CRM_DATA_DIR: await processes.folder() }
  const crm = (...words: string[]) => runCommand(words, variables, noEntrypoints)
  expect(await crm('migrate')).toMatchObject({ status: 0 })
  const created = await crm('organization', 'create', '--name', 'Acme', '--json')
  expect(created).toMatchObject({ status: 0 })
  const examined = await crm('doctor', '--json')
  expect(examined.status).toBe(0)
  expect(examined.out).toContain('all applied')
  const organization = JSON.parse(created.out)
  const changed = await crm('organization', 'set', '--organization', organization.id, '--currencies', 'EUR', '--json')
  expect(JSON.parse(changed.out)).toEqual({ ...organization, currencies: ['USD', 'EUR'] })
  expect((await crm('tag', 'create', '--organization', 'x', '--name', 'x')).err).toBe('no such organization: x\n')
})
