import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Random } from '../support/random.ts'
import type { Request } from './action.ts'
import { type NotedKind, notedKinds, titles } from './activities.ts'
import { type Choice, oneOf } from './choice.ts'
import type { PartKind, PartSighting, Sightings } from './sightings.ts'
import { plurals } from './world.ts'

function partOf(random: Random, sightings: Sightings, kind: PartKind): PartSighting | null {
  const all = [...sightings.parts[kind].values()]
  return all.length === 0 ? null : random.pick(all)
}

const price = (random: Random): JsonObject => ({
  quantity: String(random.between(1, 9)),
  price: String(random.between(0, 99)),
})

/** Mostly where others are; sometimes beyond the end. */
const place = (random: Random): JsonObject => (random.next() < 0.5 ? {} : { position: random.between(0, 6) })

function adding(name: string, owner: string, path: string, body: JsonObject, facts: JsonObject = {}): Request {
  return { name, method: 'POST', path, body, facts: { owner, ...facts } }
}

function changing(name: string, { id, owner, version }: PartSighting, path: string, body: JsonObject): Request {
  return { name, method: 'PATCH', path, body: { expectedVersion: version, ...body }, facts: { owner, part: id } }
}

function removing(name: string, { id, owner, version }: PartSighting, path: string): Request {
  return { name, method: 'DELETE', path: `${path}?expectedVersion=${version}`, facts: { owner, part: id } }
}

const itemPath = ({ owner, id }: PartSighting) => `/deals/${owner}/items/${id}`
const activityPath = (kind: NotedKind, { owner, id }: PartSighting) => `/${plurals[kind]}/${owner}/activities/${id}`
const stepPath = ({ owner, within, id }: PartSighting) => `/tasks/${owner}/checklists/${within}/items/${id}`

const choices: readonly Choice[] = [
  (random, sightings) => {
    const deal = oneOf(random, sightings, 'deal')
    return (
      deal &&
      adding('addItem', deal.id, `/deals/${deal.id}/items`, { name: 'Chair', ...price(random), ...place(random) })
    )
  },
  (random, sightings) => {
    const item = partOf(random, sightings, 'items')
    return item && changing('changeItem', item, itemPath(item), { ...price(random), ...place(random) })
  },
  (random, sightings) => {
    const item = partOf(random, sightings, 'items')
    return item && removing('removeItem', item, itemPath(item))
  },
  (random, sightings) => {
    const kind = random.pick(notedKinds)
    const record = oneOf(random, sightings, kind)
    const contact = kind !== 'contact' && random.next() < 0.7 ? oneOf(random, sightings, 'contact') : null
    if (record === null) return null
    const body = { type: 'note', body: 'Called', ...(contact === null ? {} : { contact: { id: contact.id } }) }
    const contactId = contact?.id ?? null
    return adding(`add${titles[kind]}Activity`, record.id, `/${plurals[kind]}/${record.id}/activities`, body, {
      contactId,
    })
  },
  (random, sightings) => {
    const kind = random.pick(notedKinds)
    const activity = partOf(random, sightings, `${kind}Activities`)
    const body = { subject: `Call ${random.between(1, 1_000_000)}` }
    return activity && changing(`change${titles[kind]}Activity`, activity, activityPath(kind, activity), body)
  },
  (random, sightings) => {
    const kind = random.pick(notedKinds)
    const activity = partOf(random, sightings, `${kind}Activities`)
    return activity && removing(`remove${titles[kind]}Activity`, activity, activityPath(kind, activity))
  },
  (random, sightings) => {
    const company = oneOf(random, sightings, 'company')
    const contacts = [...sightings.records.contact.keys()]
    if (company === null || contacts.length === 0) return null
    const contactIds = random.next() < 0.1 ? [] : random.some(contacts, 4)
    const body = { expectedVersion: company.version, contacts: contactIds.map(id => ({ id })) }
    const facts = { owner: company.id, contactIds }
    return { name: 'link', method: 'PUT', path: `/companies/${company.id}/contacts`, body, facts }
  },
  (random, sightings) => {
    const task = oneOf(random, sightings, 'task')
    return task && adding('addChecklist', task.id, `/tasks/${task.id}/checklists`, { title: 'Steps', ...place(random) })
  },
  (random, sightings) => {
    const checklist = partOf(random, sightings, 'checklists')
    if (checklist === null) return null
    const path = `/tasks/${checklist.owner}/checklists/${checklist.id}`
    return changing('moveChecklist', checklist, path, { position: random.between(0, 6) })
  },
  (random, sightings) => {
    const checklist = partOf(random, sightings, 'checklists')
    return checklist && removing('removeChecklist', checklist, `/tasks/${checklist.owner}/checklists/${checklist.id}`)
  },
  (random, sightings) => {
    const checklist = partOf(random, sightings, 'checklists')
    if (checklist === null) return null
    const path = `/tasks/${checklist.owner}/checklists/${checklist.id}/items`
    return adding('addStep', checklist.owner, path, { text: 'Call', ...place(random) }, { checklistId: checklist.id })
  },
  (random, sightings) => {
    const step = partOf(random, sightings, 'steps')
    return step && changing('changeStep', step, stepPath(step), { isDone: random.next() < 0.5, ...place(random) })
  },
]

/** A change of something that belongs to a record. */
export const choosePart: Choice = (random, sightings, surroundings) =>
  random.pick(choices)(random, sightings, surroundings)
