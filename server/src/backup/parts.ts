import type { Files } from '../kernel/files/index.ts'
import type { Secret } from '../kernel/index.ts'
import type { Database } from '../kernel/sql/index.ts'

/** What backing up and restoring need of an installation. */
export interface BackupParts {
  readonly database: Database
  readonly secret: Secret
  readonly files: Files
}

/** What tells whether another installation has the secret of the one that a backup comes from. */
export function secretMark(secret: Secret): string {
  return secret.mark('backup')
}
