import type { ChangeRow } from '../crm/changes/index.ts'
import { unattended } from '../kernel/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { selectChangesAgain } from './deliver.sql.ts'

type Changes = ReadonlyMap<number, ChangeRow>

interface Asked {
  readonly seqs: Set<number>
  readonly changes: Promise<Changes>
}

/**
 * Reads changes by their numbers as applications read them, with their keys. What is asked for an application at the same moment, such as by
 * all its webhooks that hear of an event, is read by one statement.
 */
export class ApplicationChanges {
  readonly #database: Pick<Database, 'query'>
  /** Reads that begin when the running code yields, by organization and application. */
  readonly #asked = new Map<string, Asked>()

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database
  }

  /** The changes with these numbers, and others; those that the feed no longer has are missing. */
  async read(organizationId: string, applicationId: string, seqs: readonly number[]): Promise<Changes> {
    if (seqs.length === 0) return new Map()
    const place = `${organizationId} ${applicationId}`
    const asked = this.#asked.get(place) ?? this.#ask(place, organizationId, applicationId)
    for (const seq of seqs) asked.seqs.add(seq)
    return asked.changes
  }

  #ask(place: string, organizationId: string, applicationId: string): Asked {
    const seqs = new Set<number>()
    const changes = Promise.resolve().then(async () => {
      this.#asked.delete(place)
      const values = [organizationId, applicationId, [...seqs]]
      const rows = await this.#database.query<ChangeRow>(selectChangesAgain, values, unattended(organizationId))
      return new Map(rows.map(row => [Number(row.seq), row]))
    })
    const asked = { seqs, changes }
    this.#asked.set(place, asked)
    return asked
  }
}
