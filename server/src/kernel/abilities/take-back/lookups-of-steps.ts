import type { Kinds, Lookup, Nested, RecordState, Resource } from '../../record/index.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { type ChangedLink, changedLinks, idsOfLinks } from './added-links.ts'
import { type AuditedStep, type History, historiesOf, type TakenJob } from './audited-steps.ts'
import { holdersAmong, holds } from './holders.ts'

type Holders = ReturnType<typeof holdersAmong>

interface Links {
  readonly places: readonly ChangedLink[]
  readonly ids: Lookup<readonly (string | null)[]>
}

/** The rows that deciding on steps needs beside their records. */
export class LookupsOfSteps {
  readonly histories: Lookup<ReadonlyMap<string, History>>
  /** What refers to the created records, by their kind. */
  readonly holders: ReadonlyMap<Resource, Holders>
  /** The links that the steps have added or changed, by their kind. */
  readonly links: ReadonlyMap<Nested, Links>

  constructor(steps: readonly AuditedStep[], job: TakenJob, kinds: Kinds, resourceOf: (step: AuditedStep) => Resource) {
    this.histories = historiesOf(job, steps)
    const created = grouped(
      steps.filter(({ isCreation }) => isCreation),
      resourceOf,
    )
    // A step removes at most one link to a record, so one holder more than there are steps is enough to tell whether one stays.
    const most = steps.length + 1
    this.holders = mapped(created, (resource, some) =>
      holdersAmong(
        resource,
        kinds,
        some.map(({ recordId }) => recordId),
        most,
      ),
    )
    const changed = steps.flatMap(step => changedLinks(resourceOf(step), kinds, step))
    const byKind = grouped(changed, ({ links }) => links)
    this.links = mapped(byKind, (links, places) => ({ places, ids: idsOfLinks(links, places) }))
  }

  /** Whether something refers to a created record, even after earlier steps of the transaction. */
  isHeld(resource: Resource, id: string, work: WorkingSet): boolean {
    const lookup = this.holders.get(resource)
    const holders = lookup === undefined ? [] : (work.read(lookup).get(id) ?? [])
    return holders.some(holder => holds(holder, id, work))
  }

  /** A changed link as it is now; null if there is none. */
  linkNow({ links, ownerId, targetId }: ChangedLink, work: WorkingSet): RecordState | null {
    const known = this.links.get(links)
    if (known === undefined) return null
    const index = known.places.findIndex(each => each.ownerId === ownerId && each.targetId === targetId)
    const id = work.read(known.ids)[index] ?? null
    return id === null ? null : work.record(links.kind, id)
  }
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [item])
    else known.push(item)
  }
  return groups
}

function mapped<Key, From, To>(map: ReadonlyMap<Key, From>, make: (key: Key, from: From) => To): Map<Key, To> {
  return new Map([...map].map(([key, from]) => [key, make(key, from)]))
}
