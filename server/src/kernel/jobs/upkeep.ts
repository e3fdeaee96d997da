import { beforeAllIds } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { type Database, type Row, statement } from '../sql/index.ts'

/** What an upkeep has done: how much it removed, by kind, and what it could not reach and leaves to the next run. */
export interface Removed {
  readonly removed: Readonly<Record<string, number>>
  readonly skipped?: readonly string[]
}

/**
 * Removes expired data of all organizations. The worker runs each upkeep every hour, one after another; `maintenance run` does so at once.
 * It works in short statements, and a process that ends between two of them loses nothing.
 */
export interface Upkeep {
  /** The name in the log: `exports`. */
  readonly name: string
  /** Stops between two statements when the signal is aborted. An error goes to the log, and the other upkeeps go on. */
  run(services: Services, signal: AbortSignal): Promise<Removed>
}

/** Declares work that is done every hour; `Module.upkeep` lists it. */
export function defineUpkeep(upkeep: Upkeep): Upkeep {
  return upkeep
}

/** Runs all upkeeps one after another. Returns their results combined, and reports failures. */
export async function runUpkeep(
  all: readonly Upkeep[],
  services: Services,
  signal: AbortSignal,
  onFailure: (error: unknown, name: string) => void,
): Promise<Required<Removed>> {
  const removed: Record<string, number> = {}
  const skipped: string[] = []
  for (const upkeep of all) {
    if (signal.aborted) break
    try {
      const done = await upkeep.run(services, signal)
      Object.assign(removed, done.removed)
      skipped.push(...(done.skipped ?? []))
    } catch (error) {
      onFailure(error, upkeep.name)
    }
  }
  return { removed, skipped }
}

/**
 * Repeats a step that handles `most` items at a time, until it handles fewer or the signal is aborted. The step returns how many it has
 * handled; the result is their sum.
 */
export async function inPortions(most: number, signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const done = await step()
    all += done
    if (done < most || signal.aborted) return all
  }
}

/** Yields the ids of organizations in ascending order, until the signal is aborted. */
type Organizations = (database: Database, signal: AbortSignal) => AsyncGenerator<string>

/** The organizations that have rows in a table, 500 per statement. */
export function organizationsWith(table: string): Organizations {
  // $1 is the last id of the previous page.
  const selectOrganizations = statement(
    `select_organizations_with_${table}`,
    `select o.id from organizations o
      where o.id > $1 and exists (select 1 from ${table} x where x.organization_id = o.id)
      order by o.id limit 500`,
  )
  return async function* organizations(database, signal) {
    let last = beforeAllIds
    while (!signal.aborted) {
      const found: readonly Row[] = await database.query(selectOrganizations, [last])
      if (found.length === 0) return
      for (const { id } of found) {
        if (signal.aborted) return
        last = String(id)
        yield last
      }
    }
  }
}
