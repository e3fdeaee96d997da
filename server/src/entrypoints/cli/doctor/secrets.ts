import { expectSecret, findUnreadableSecrets, matchSecret, secretColumns } from '../../../kernel/index.ts'
import { type Database, statement } from '../../../kernel/sql/index.ts'
import { listOrganizations } from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { type Check, check } from './check.ts'

const selectMissingTables = statement(
  'doctor_missing_tables',
  'select wanted.name from unnest($1::text[]) as wanted(name) where to_regclass(wanted.name) is null',
)

async function lacks(database: Database, tables: readonly string[]): Promise<boolean> {
  return (await database.search(selectMissingTables, [tables])).length > 0
}

/** Returns whether the secret is the one of the database, after a message about where it is stored; throws if it is another one. */
export async function examineMatch({ database, secret }: Installation): Promise<string> {
  if (await lacks(database, ['installation'])) return ''
  await expectSecret(database, secret)
  const match = await matchSecret(database, secret)
  if (match === 'former') return '; the database still has the former one: start the servers with both'
  return match === 'same' ? ', and is that of the database' : '; the next start has the database remember it'
}

/** How many organizations a message names. */
const named = 10

/**
 * Whether the stored secrets of API integrations and webhooks can be decrypted with the present keys. If some cannot, reports how many, of which
 * organizations and under which key ids, and no part of a secret.
 */
export function examineStoredSecrets({ database, secret }: Installation): Promise<Check> {
  return check('stored secrets', async () => {
    const { nestedResources, resources, settingKinds } = await import('../../../modules.ts')
    const all = [...resources, ...nestedResources, ...settingKinds]
    const tables = ['organizations', ...secretColumns(all).map(({ resource }) => resource.table.name)]
    if (await lacks(database, tables)) return 'none yet'
    let [count, unreadable] = [0, 0]
    const faults: string[] = []
    for (const { id } of await listOrganizations(database)) {
      const found = await findUnreadableSecrets(all, String(id), { database, secret })
      count += found.count
      unreadable += found.unreadable
      if (found.unreadable > 0)
        faults.push(`${found.unreadable} of organization ${String(id)} (${keysInWords(found.keyIds)})`)
    }
    if (unreadable === 0) return `${count}, each decrypted with the present keys`
    const which = `${faults.slice(0, named).join(', ')}${faults.length > named ? ', …' : ''}`
    throw new Error(
      `${unreadable} of ${count} cannot be decrypted with the present keys: ${which}. Give the former CRM_SECRET in ` +
        'CRM_SECRET_PREVIOUS and run `secret rotate`, or set these secrets anew: those of webhooks with `webhook rotate` and ' +
        '`webhook set --header`, the others through the API',
    )
  })
}

const keysInWords = (ids: readonly string[]) => `${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}`
