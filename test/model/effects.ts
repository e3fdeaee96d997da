import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Action, Effect } from './action.ts'
import { activityEffects, replaceParticipant } from './activities.ts'
import { mergeEffects } from './merge.ts'
import { partEffects } from './parts.ts'
import type { Kind, State, World } from './world.ts'

const textFields: Readonly<Record<Kind, readonly string[]>> = {
  contact: ['firstName', 'lastName', 'jobTitle', 'description'],
  company: ['name', 'industry', 'description'],
  deal: ['title', 'description', 'stageUuid', 'currency'],
  task: ['title', 'description', 'status'],
}

const initial: Readonly<Record<Kind, State>> = {
  contact: { firstName: null, lastName: null, jobTitle: null, description: null },
  company: { name: null, industry: null, description: null },
  deal: {
    description: null,
    currency: null,
    companyIds: [],
    contactIds: [],
    itemsCount: 0,
    itemsTotal: '0.00',
    activitiesCount: 0,
  },
  task: {
    description: null,
    status: 'todo',
    dealId: null,
    contactId: null,
    companyId: null,
    checklistProgress: { total: 0, done: 0 },
  },
}

const idMembers: Readonly<Record<string, string>> = {
  companies: 'companyIds',
  contacts: 'contactIds',
  deal: 'dealId',
  contact: 'contactId',
  company: 'companyId',
}

/** The members that a request body gives, by the names that answers use. References are given by id. */
function givenIn(kind: Kind, body: JsonObject): State {
  const idOf = (value: unknown) => (typeof value === 'object' && value !== null && 'id' in value ? value.id : null)
  const given = textFields[kind].filter(name => name in body).map(name => [name, body[name]])
  const references = Object.entries(idMembers)
    .filter(([name]) => name in body && (kind === 'deal' || kind === 'task'))
    .map(([name, member]) => {
      const value = body[name]
      return [member, Array.isArray(value) ? value.map(idOf) : idOf(value)]
    })
  return Object.fromEntries([...given, ...references])
}

function kindOf({ facts }: Action): Kind {
  const { kind } = facts
  if (kind === 'contact' || kind === 'company' || kind === 'deal' || kind === 'task') return kind
  throw new Error(`no kind ${String(kind)}`)
}

function create(world: World, kind: Kind, body: JsonObject, data: JsonObject): void {
  const { externalId = null } = body
  const decided = kind === 'deal' ? { stageUuid: data.stageUuid } : {}
  const given = givenIn(kind, body)
  world.create(kind, String(data.id), { ...initial[kind], ...decided, externalId, tagIds: new Set(), ...given })
}

const upsert = (world: World, kind: Kind, body: JsonObject, status: unknown, data: JsonObject) =>
  status === 201 ? create(world, kind, body, data) : world.change(String(data.id), givenIn(kind, body))

/** What each kind of request does, by its name. */
export const effects: Readonly<Record<string, Effect>> = {
  create: (world, action) => create(world, kindOf(action), action.body ?? {}, action.data),
  update: (world, action) => world.change(String(action.facts.id), givenIn(kindOf(action), action.body ?? {})),
  upsert: (world, action) => upsert(world, kindOf(action), action.body ?? {}, action.status, action.data),
  batch(world, action) {
    const bodies = Array.isArray(action.body?.items) ? action.body.items : []
    for (const [index, { status, data }] of action.items.entries()) {
      if (typeof data !== 'object' || data === null || Number(status) >= 300) continue
      const answered: JsonObject = { ...data }
      const before = world.find(answered.id)
      if (before?.version === answered.version) continue
      upsert(world, kindOf(action), bodies[index], status, answered)
    }
  },
  move: (world, { facts, data }) => world.change(String(facts.id), { stageUuid: data.stageUuid }),
  tag: (world, { facts }) => world.change(String(facts.id), { tagIds: new Set(listOf(facts.tagIds)) }),
  anonymize: (world, { facts }) => world.remove(String(facts.id), 'anonymized'),
  remove(world, action) {
    const id = String(action.facts.id)
    unlink(world, kindOf(action), id)
    world.remove(id, 'deleted')
  },
  ...partEffects,
  ...activityEffects,
  ...mergeEffects,
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Takes a record out of everything that refers to it. */
function unlink(world: World, kind: Kind, id: string): void {
  const list = kind === 'contact' ? 'contactIds' : 'companyIds'
  for (const deal of world.all('deal')) {
    const ids = listOf(deal[list])
    if (kind !== 'deal' && ids.includes(id)) world.change(deal.id, { [list]: ids.filter(each => each !== id) })
  }
  replaceParticipant(world, id, null)
  for (const task of world.all('task')) if (task[`${kind}Id`] === id) world.change(task.id, { [`${kind}Id`]: null })
  for (const company of world.all('company'))
    if (world.parts('links', company.id).delete(id)) world.change(company.id, {})
}
