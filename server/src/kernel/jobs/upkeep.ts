import { beforeAllIds } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { type Database, type Row, statement } from '../sql/index.ts'

/** What an upkeep did: how much it removed, by what that was, and what it could not reach and leaves to the next time. */
export interface Removed {
  readonly removed: Readonly<Record<string, number>>
  readonly skipped?: readonly string[]
}

/**
 * Removes what has grown old, of all organizations. The worker does it every hour, one after another, and `maintenance run` at once.
 * It works in short statements, and an end between two of them loses nothing.
 */
export interface Upkeep {
  /** For the log: `exports`. */
  readonly name: string
  /** Stops between two statements when the signal is aborted. What it throws goes to the log, and the others go on. */
  run(services: Services, signal: AbortSignal): Promise<Removed>
}

/** Declares something that is done every hour; `Module.upkeep` lists it. */
export function defineUpkeep(upkeep: Upkeep): Upkeep {
  return upkeep
}

/** Does all of them, one after another; gives what they did together, and tells of what failed. */
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
 * Repeats a step that does `most` at once, until it has less to do or the signal is aborted. The step gives how much it has done;
 * the answer is how much that was in all.
 */
export async function inPortions(most: number, signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const done = await step()
    all += done
    if (done < most || signal.aborted) return all
  }
}

/** Gives the ids of organizations, in their order, until the signal is aborted. */
type Organizations = (database: Database, signal: AbortSignal) => AsyncGenerator<string>

/** The organizations that have rows in a table, 500 with each statement. */
export function organizationsWith(table: string): Organizations {
  // $1 is the id behind which they are looked for.
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
