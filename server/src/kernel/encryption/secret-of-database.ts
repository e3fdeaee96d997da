import { type Database, statement } from '../sql/index.ts'
import type { Secret } from './secret.ts'

/** How the secret of this process compares with the recorded secret of the database. `none`: no server has started yet. */
export type SecretMatch = 'none' | 'same' | 'former' | 'other'

const markedText = 'installation'

// A database that is not migrated yet has no such column; then its row as JSON has no such member.
const selectSecretMark = statement(
  'select_secret_mark',
  `select to_jsonb(i) ->> 'secret_mark' as mark from installation i where i.singleton`,
)

// If two servers with different secrets start at once, the second one reads the mark of the first.
const rememberSecretMark = statement(
  'remember_secret_mark',
  `update installation i
      set secret_mark = $1
    where i.singleton and i.secret_mark is distinct from $1
      and ($3::boolean or i.secret_mark is null or i.secret_mark = any($2::text[]))`,
)

/** Compares the secret of this process with that of the database, which must have the table `installation`. */
export async function matchSecret(database: Database, secret: Secret): Promise<SecretMatch> {
  const [row] = await database.search(selectSecretMark, [])
  const mark = row?.mark ?? null
  if (mark === null) return 'none'
  if (mark === secret.mark(markedText)) return 'same'
  return secret.formerMarks(markedText).some(former => former === mark) ? 'former' : 'other'
}

/**
 * Records the secret as the one of the database if none or a former one is recorded; with `always`, replaces an unknown one too. Otherwise
 * throws what `expectSecret` throws.
 */
export async function rememberSecret(database: Database, secret: Secret, always = false): Promise<void> {
  await database.query(rememberSecretMark, [secret.mark(markedText), secret.formerMarks(markedText), always])
  await expectSecret(database, secret)
}

/** Throws a message for the operator if the secret is not the one of the database. */
export async function expectSecret(database: Database, secret: Secret): Promise<void> {
  if ((await matchSecret(database, secret)) === 'other') throw new Error(otherSecret)
}

const otherSecret =
  'CRM_SECRET (or the file "secret" of the data directory) is not the secret of this database. Set the one that its other servers ' +
  'have. To change it, give the former one in CRM_SECRET_PREVIOUS; if that is lost, run "secret rotate --former-lost"'
