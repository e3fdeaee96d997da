import type { Secret } from '../encryption/secret.ts'
import type { Resource } from '../record/index.ts'
import type { Database } from '../sql/index.ts'
import { secretColumns, storedSecrets } from './stored-secrets.ts'

/** The number of secrets of an organization, and of those that none of the keys decrypts. */
export interface SecretsFound {
  readonly count: number
  readonly unreadable: number
  /** The ids of the keys that the unreadable ones were encrypted with. An id reveals nothing about its key. */
  readonly keyIds: readonly string[]
}

/** Tries to decrypt each secret of an organization. Decrypted secrets are discarded at once. */
export async function findUnreadableSecrets(
  resources: readonly Resource[],
  organizationId: string,
  { database, secret: { keyring } }: { readonly database: Database; readonly secret: Secret },
): Promise<SecretsFound> {
  let [count, unreadable] = [0, 0]
  const keyIds = new Set<string>()
  for (const column of secretColumns(resources)) {
    for await (const secrets of storedSecrets(column, organizationId, database)) {
      count += secrets.length
      for (const { stored, place } of secrets) {
        if (keyring.decrypt(stored, place) !== null) continue
        unreadable += 1
        keyIds.add(keyring.keyIdOf(stored))
      }
    }
  }
  return { count, unreadable, keyIds: [...keyIds].sort() }
}
