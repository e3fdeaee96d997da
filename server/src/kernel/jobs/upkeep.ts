import type { Services } from '../services.ts'

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
