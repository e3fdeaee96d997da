import type { Action, Effect } from './action.ts'
import type { World } from './world.ts'

/** Kinds whose records have activities. */
export const notedKinds = ['contact', 'company', 'deal'] as const
export type NotedKind = (typeof notedKinds)[number]

/** The kinds as the names of requests have them. */
export const titles = { contact: 'Contact', company: 'Company', deal: 'Deal' } as const

/** What changes of activities do, by the name of the request. */
export const activityEffects: Readonly<Record<string, Effect>> = Object.fromEntries(
  notedKinds.flatMap((kind): [string, Effect][] => [
    [`add${titles[kind]}Activity`, add],
    [`change${titles[kind]}Activity`, change],
    [`remove${titles[kind]}Activity`, remove],
  ]),
)

function add(world: World, { facts, data }: Action): void {
  const owner = String(facts.owner)
  world.parts('activities', owner).set(String(data.id), { contactId: facts.contactId ?? null, version: 1 })
  touch(world, owner)
}

function change(world: World, { facts }: Action): void {
  const owner = String(facts.owner)
  enter(world, owner, String(facts.part), {})
  touch(world, owner)
}

function remove(world: World, { facts }: Action): void {
  const owner = String(facts.owner)
  if (!world.parts('activities', owner).delete(String(facts.part))) throw new Error('no activity was there')
  touch(world, owner)
}

/** Another contact takes the place of one in the activities of deals and companies, or nobody does. */
export function replaceParticipant(world: World, from: string, into: string | null): void {
  for (const kind of ['deal', 'company'] as const) {
    for (const { id: owner } of world.all(kind)) {
      for (const [id, { contactId }] of world.parts('activities', owner)) {
        if (contactId !== from) continue
        enter(world, owner, id, { contactId: into })
        touch(world, owner)
      }
    }
  }
}

/** The activities of one record become those of another. */
export function moveActivities(world: World, from: string, into: string): void {
  const left = world.parts('activities', from)
  for (const [id, activity] of left) {
    world.parts('activities', into).set(id, activity)
    enter(world, into, id, {})
  }
  left.clear()
}

/** Each change of an activity raises its version. */
function enter(world: World, owner: string, id: string, members: { readonly contactId?: string | null }): void {
  const known = world.parts('activities', owner).get(id)
  if (known === undefined) throw new Error('no activity was there')
  world.parts('activities', owner).set(id, { ...known, ...members, version: Number(known.version) + 1 })
}

/** Deals alone count their activities. */
function touch(world: World, owner: string): void {
  const isCounted = world.records.get(owner)?.kind === 'deal'
  world.change(owner, isCounted ? { activitiesCount: world.parts('activities', owner).size } : {})
}
