import { isObject } from '../../server/src/kernel/schema/index.ts'
import type { Effect } from './action.ts'
import { moveActivities, replaceParticipant } from './activities.ts'
import type { Part, State, World } from './world.ts'

const mergedFields: Readonly<Record<'contact' | 'company', readonly string[]>> = {
  contact: ['firstName', 'lastName', 'jobTitle', 'description'],
  company: ['name', 'industry', 'description'],
}

/** The other takes the earlier place, and stands there once. */
function replaced(ids: unknown, from: string, into: string): unknown[] {
  return Array.isArray(ids) ? [...new Set(ids.map(id => (id === from ? into : id)))] : []
}

function mergedState(kind: 'contact' | 'company', primary: State, secondary: State, resolutions: unknown): State {
  const chosen = isObject(resolutions) ? resolutions : {}
  const value = (name: string) => (chosen[name] === 'secondary' ? secondary[name] : (primary[name] ?? secondary[name]))
  const tags = (state: State) => (state.tagIds instanceof Set ? [...state.tagIds] : [])
  return {
    ...Object.fromEntries(mergedFields[kind].map(name => [name, value(name)])),
    externalId: primary.externalId ?? secondary.externalId,
    tagIds: new Set([...tags(primary), ...tags(secondary)]),
  }
}

function repoint(world: World, kind: 'contact' | 'company', from: string, into: string): void {
  const list = kind === 'contact' ? 'contactIds' : 'companyIds'
  for (const deal of world.all('deal')) {
    const ids = deal[list]
    if (Array.isArray(ids) && ids.includes(from)) world.change(deal.id, { [list]: replaced(ids, from, into) })
  }
  for (const task of world.all('task')) if (task[`${kind}Id`] === from) world.change(task.id, { [`${kind}Id`]: into })
  moveActivities(world, from, into)
  if (kind === 'company') return moveLinks(world, from, into)
  replaceParticipant(world, from, into)
  for (const company of world.all('company')) {
    const links = world.parts('links', company.id)
    if (!links.has(from)) continue
    const ids = replaced([...links.keys()], from, into)
    links.clear()
    for (const id of ids) links.set(String(id), {})
    world.change(company.id, {})
  }
}

/** The links of the secondary company follow those of the primary. */
function moveLinks(world: World, from: string, into: string): void {
  const links: Map<string, Part> = world.parts('links', into)
  for (const id of world.parts('links', from).keys()) links.set(id, {})
}

/** What a merge does to everything that the two records and others hold. */
export const mergeEffects: Readonly<Record<string, Effect>> = {
  merge(world, { facts, body }) {
    const kind = facts.merged === 'company' ? 'company' : 'contact'
    const [primaryId, secondaryId] = [String(facts.primaryId), String(facts.secondaryId)]
    const [primary, secondary] = [world.find(primaryId), world.find(secondaryId)]
    if (primary === null || secondary === null) throw new Error('merged what is not there')
    repoint(world, kind, secondaryId, primaryId)
    world.change(primaryId, mergedState(kind, primary, secondary, body?.fieldResolutions))
    world.remove(secondaryId, 'deleted')
  },
}
