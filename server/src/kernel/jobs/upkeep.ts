import type { Services } from '../services.ts'

/** How much was removed, by what it was, such as `changeEvents`. */
export type Removed = Readonly<Record<string, number>>

/**
 * Removes what has grown old, of all organizations. It is done by the worker every hour, one after another, and by `maintenance run`.
 * It works in short statements, and whoever ends it between two of them loses nothing.
 */
export interface Upkeep {
  /** For the log: `expired exports`. */
  readonly name: string
  /** Stops between two statements when the signal is aborted. What it throws goes to the log, and the others go on. */
  run(services: Services, signal: AbortSignal): Promise<Removed>
}

/** Declares something that is done every hour; `Module.upkeep` lists it. */
export function defineUpkeep(upkeep: Upkeep): Upkeep {
  return upkeep
}

/** Does all of them, one after another; gives what was removed, and tells of what failed. */
export async function runUpkeep(
  all: readonly Upkeep[],
  services: Services,
  signal: AbortSignal,
  onFailure: (error: unknown, name: string) => void,
): Promise<Removed> {
  const removed: Record<string, number> = {}
  for (const { name, run } of all) {
    if (signal.aborted) break
    try {
      Object.assign(removed, await run(services, signal))
    } catch (error) {
      onFailure(error, name)
    }
  }
  return removed
}
