import type { Secret } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { factorPlace } from './second-factor.ts'

const portion = 500
const lowestId = '00000000-0000-0000-0000-000000000000'

/** $1 prefix of what the current key has encrypted, $2 the id of the last user looked at, $3 the most rows. */
const selectOtherFactors = statement(
  'select_factors_of_other_keys',
  `select u.id, u.totp_secret from users u
    where u.totp_secret is not null and not starts_with(u.totp_secret, $1) and u.id > $2
    order by u.id limit $3`,
)

/** $1 user, $2 the former text, $3 the new one. A factor that is changed at the same time keeps that change. */
const updateFactor = statement(
  'encrypt_factor_again',
  'update users u set totp_secret = $3 where u.id = $1 and u.totp_secret = $2 returning 1',
)

/** Encrypts the second factors of users with the current key. After an interruption, the next run continues with the rest. */
export async function encryptFactorsAgain({
  database,
  secret: { keyring },
}: {
  readonly database: Database
  readonly secret: Secret
}): Promise<{ readonly encrypted: number; readonly unreadable: number }> {
  let [encrypted, unreadable, last] = [0, 0, lowestId]
  for (;;) {
    const rows = await database.query(selectOtherFactors, [keyring.currentPrefix, last, portion])
    for (const row of rows) {
      const [id, stored] = [String(row.id), String(row.totp_secret)]
      const text = keyring.decrypt(stored, factorPlace(id))
      if (text === null) unreadable += 1
      else
        encrypted += (await database.query(updateFactor, [id, stored, keyring.encrypt(text, factorPlace(id))])).length
      last = id
    }
    if (rows.length < portion) return { encrypted, unreadable }
  }
}
