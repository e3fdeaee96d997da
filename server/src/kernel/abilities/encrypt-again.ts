import type { Secret } from '../encryption/secret.ts'
import type { Resource } from '../record/index.ts'
import { type Database, type Statement, statement } from '../sql/index.ts'
import { type SecretColumn, secretColumns, storedSecrets } from './stored-secrets.ts'

/** What was done with the secrets of an organization that were not encrypted with the current key. */
export interface EncryptedAgain {
  readonly encrypted: number
  /** The number of secrets that none of the keys decrypts. They stay unchanged. */
  readonly unreadable: number
}

/**
 * Encrypts the secrets of an organization with the current key, in portions. Each portion is saved by itself, so after an interruption the
 * next run continues with the rest. A secret that is changed at the same time keeps that change.
 */
export async function encryptAgain(
  resources: readonly Resource[],
  organizationId: string,
  { database, secret: { keyring } }: { readonly database: Database; readonly secret: Secret },
): Promise<EncryptedAgain> {
  let [encrypted, unreadable] = [0, 0]
  for (const column of secretColumns(resources)) {
    const update = updateOf(column)
    for await (const secrets of storedSecrets(column, organizationId, database, keyring.currentPrefix)) {
      const changes = secrets.flatMap(({ stored, place }) => {
        const text = keyring.decrypt(stored, place)
        return text === null ? [] : [{ id: place.recordId, before: stored, after: keyring.encrypt(text, place) }]
      })
      unreadable += secrets.length - changes.length
      const lists = [
        changes.map(({ id }) => id),
        changes.map(({ before }) => before),
        changes.map(({ after }) => after),
      ]
      encrypted += (await database.query(update, [organizationId, ...lists])).length
    }
  }
  return { encrypted, unreadable }
}

const compiled = new Map<string, Statement>()

function updateOf({ resource: { kind, table }, column }: SecretColumn): Statement {
  const known = compiled.get(`${kind} ${column}`)
  if (known !== undefined) return known
  const made = statement(
    `encrypt_${kind}_${column}`,
    `update ${table.name} t
        set ${column} = changed.after
       from unnest($2::uuid[], $3::text[], $4::text[]) as changed(id, before, after)
      where t.organization_id = $1 and t.id = changed.id and t.${column} = changed.before
     returning t.id`,
  )
  compiled.set(`${kind} ${column}`, made)
  return made
}
