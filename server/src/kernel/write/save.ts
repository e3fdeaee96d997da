import type { RowChange } from '../record/table.ts'
import type { Statement } from '../sql/index.ts'

/** A statement that saves, ready to be sent. */
export interface Save {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/** What is written for one organization, in one transaction. */
export interface ToSave {
  readonly organizationId: string
  readonly rows: readonly RowChange[]
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly configurationVersion: string | null
}
