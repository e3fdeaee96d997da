import type { Random } from '../support/random.ts'
import type { Request } from './action.ts'
import type { Sighting, Sightings } from './sightings.ts'
import type { Kind } from './world.ts'

/** What there is to choose from in the organization. */
export interface Surroundings {
  readonly stages: readonly string[]
  readonly lostStage: string
  readonly lostReason: string
  /** Tags that every kind may have. */
  readonly tagIds: readonly string[]
}

/** The next request of a client; null when there is nothing yet that it could be about. */
export type Choice = (random: Random, sightings: Sightings, surroundings: Surroundings) => Request | null

/** A known record, mostly one of a few, so that clients meet. */
export function oneOf(random: Random, sightings: Sightings, kind: Kind): Sighting | null {
  const all = [...sightings.records[kind].values()]
  return all.length === 0 ? null : random.pick(random.next() < 0.7 ? all.slice(0, 6) : all)
}
