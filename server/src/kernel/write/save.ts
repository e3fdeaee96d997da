import type { RowChange } from '../record/index.ts'
import type { Row, Statement } from '../sql/index.ts'

/** A statement that saves, ready to be sent. */
export interface SaveStatement {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/** A save: statements that run one after another, followed by the commit. */
export interface Save {
  readonly statements: readonly SaveStatement[]
  /**
   * Makes the statements that write the change events, from the row of the feed that the last of `statements` returned. null if that
   * statement writes the events itself, or there are none.
   */
  readonly publish: ((feed: Row | undefined) => readonly SaveStatement[]) | null
}

/** Everything that one transaction writes for one organization. */
export interface ToSave {
  readonly organizationId: string
  readonly rows: readonly RowChange[]
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly configurationVersion: string | null
}
