import type { ChangeRow } from '../crm/changes/index.ts'
import { unattended } from '../kernel/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { selectChangesAgain } from './deliver.sql.ts'
import { SharedReads } from './shared-reads.ts'

type Changes = ReadonlyMap<number, ChangeRow>

/**
 * Reads changes by their numbers as applications read them, with their keys. What is asked for an application at the same moment is read by
 * one statement.
 */
export class ApplicationChanges {
  readonly #database: Pick<Database, 'query'>
  readonly #reads = new SharedReads<number, Changes>()

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database
  }

  /** The changes with these numbers, and others; those that the feed no longer has are missing. */
  async read(organizationId: string, applicationId: string, seqs: readonly number[]): Promise<Changes> {
    if (seqs.length === 0) return new Map()
    const entries = seqs.map(seq => [seq, seq] as const)
    return this.#reads.take(`${organizationId} ${applicationId}`, entries, async asked => {
      const values = [organizationId, applicationId, asked]
      const rows = await this.#database.query<ChangeRow>(selectChangesAgain, values, unattended(organizationId))
      return new Map(rows.map(row => [Number(row.seq), row]))
    })
  }
}
