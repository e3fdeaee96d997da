import { type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import type { Random } from '../../support/random.ts'
import { type Kind, plurals } from '../world.ts'
import type { History, State } from './history.ts'
import { kinds, type Surroundings } from './surroundings.ts'
import { membersOf, skewed } from './values.ts'

/** A write that was chosen. */
export interface Write {
  readonly name: string
  readonly kind: Kind
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject
  /** Records that it changes or leads to, which nobody else may write meanwhile. */
  readonly claims: readonly string[]
  /** The records of `claims` that it may change. Their states afterwards are read, unless the answer shows the only one. */
  readonly changes: readonly string[]
  /** Whether it may be refused because something would be left without what it needs, such as a deal without a party. */
  readonly mayBeRefused: boolean
}

/** The names of all writes. */
export const writeNames = [
  ...kinds.flatMap(kind => [`create ${kind}`, `patch ${kind}`, `tag ${kind}`]),
  ...['contact', 'deal', 'task'].map(kind => `create several ${kind}`),
  ...kinds.map(kind => `remove ${kind}`),
  'anonymize contact',
  'link company',
  'move deal',
]

const fewest = 40
const most = 70

function write(
  members: Pick<Write, 'name' | 'kind' | 'method' | 'path'> & Partial<Write>,
  changes: readonly string[],
  led: readonly string[] = [],
): Write {
  return { mayBeRefused: false, changes, claims: [...new Set([...changes, ...led])], ...members }
}

/** Links of a deal or a task, and the records that they lead to. */
function references(kind: Kind, random: Random, history: History): { body: JsonObject; led: readonly string[] } {
  const ids = (of: Kind) => {
    const all = history.all(of).map(({ id }) => id)
    return all.length === 0
      ? []
      : [...new Set([skewed(random, all), ...random.some(all, 2)])].slice(0, random.between(0, 3))
  }
  const referred = (list: readonly string[]) => list.map(id => ({ id }))
  const [companies, contacts] = [ids('company'), ids('contact')]
  if (kind === 'deal') {
    if (companies.length + contacts.length === 0) return { body: {}, led: [] }
    return { body: { companies: referred(companies), contacts: referred(contacts) }, led: [...companies, ...contacts] }
  }
  if (kind !== 'task') return { body: {}, led: [] }
  const [deal, contact, company] = [ids('deal'), contacts, companies].map(list => list.slice(0, 1))
  const one = (list: readonly string[] = []) => referred(list)[0] ?? null
  return {
    body: { deal: one(deal), contact: one(contact), company: one(company) },
    led: [deal, contact, company].flatMap(list => list ?? []),
  }
}

/** A new record; of most kinds also several at the same moment. */
function create(kind: Kind, random: Random, history: History, surroundings: Surroundings): Write | null {
  const { body, led } = references(kind, random, history)
  if (kind === 'deal' && led.length === 0) return null
  const externalId = () => (random.next() < 0.5 ? { externalId: newId() } : {})
  const stage = kind === 'deal' ? { stageUuid: skewed(random, surroundings.stages.slice(0, 2)) } : {}
  const path = `/${plurals[kind]}`
  const made = () => ({ ...membersOf(kind, random, surroundings), ...stage, ...body })
  if (random.next() < 0.8 || kind === 'company')
    return write({ name: `create ${kind}`, kind, method: 'POST', path, body: { ...externalId(), ...made() } }, [], led)
  const items = Array.from({ length: random.between(2, 5) }, () => ({ externalId: newId(), ...made() }))
  return write(
    { name: `create several ${kind}`, kind, method: 'POST', path: `${path}/batch/upsert`, body: { items } },
    [],
    led,
  )
}

function patch(kind: Kind, { id, data }: State, random: Random, history: History, surroundings: Surroundings): Write {
  const linked = random.next() < 0.3 ? references(kind, random, history) : { body: {}, led: [] }
  const members = random.some(Object.entries(membersOf(kind, random, surroundings)), 4)
  const body = { expectedVersion: data.version, ...Object.fromEntries(members), ...linked.body }
  const request = { name: `patch ${kind}`, kind, method: 'PATCH', path: `/${plurals[kind]}/${id}`, body } as const
  // Name and contact data of a contact may not all be empty.
  return write({ ...request, mayBeRefused: kind === 'contact' }, [id], linked.led)
}

function tag(kind: Kind, { id, data }: State, random: Random, { tagIds }: Surroundings): Write {
  const tags = Array.from(new Set(Array.from({ length: random.between(0, 3) }, () => skewed(random, tagIds))))
  const body = { expectedVersion: data.version, tags: tags.map(each => ({ id: each })) }
  return write({ name: `tag ${kind}`, kind, method: 'PUT', path: `/${plurals[kind]}/${id}/tags`, body }, [id])
}

function link({ id, data, links }: State, random: Random, history: History): Write {
  const all = history.all('contact').map(contact => contact.id)
  const chosen = random.next() < 0.15 || all.length === 0 ? [] : random.some(all, 5)
  const body = { expectedVersion: data.version, contacts: chosen.map(each => ({ id: each })) }
  const path = `/companies/${id}/contacts`
  const changed = [...new Set([...links, ...chosen])].filter(each => history.current(each) !== null)
  return write({ name: 'link company', kind: 'company', method: 'PUT', path, body }, [id, ...changed])
}

function move({ id, data }: State, random: Random, { organization, stages }: Surroundings): Write {
  const stageUuid = skewed(random, stages)
  const reason = stageUuid === organization.stages.lost ? { lostReasonCategoryUuid: organization.lostReason } : {}
  const body = { expectedVersion: data.version, stageUuid, ...reason }
  return write({ name: 'move deal', kind: 'deal', method: 'PATCH', path: `/deals/${id}/move`, body }, [id])
}

const lists = (data: JsonObject) => [data.companyIds, data.contactIds].flatMap(ids => (Array.isArray(ids) ? ids : []))

/** Whether a record leads to another one. */
function leadsTo({ data, links }: State, id: string): boolean {
  return links.includes(id) || lists(data).includes(id) || [data.dealId, data.contactId, data.companyId].includes(id)
}

function remove(kind: Kind, { id, data }: State, random: Random, history: History): Write {
  const leading = kinds.flatMap(each => history.all(each)).filter(other => leadsTo(other, id))
  const changes = [id, ...leading.map(other => other.id)]
  const path = `/${plurals[kind]}/${id}`
  const request = { name: `remove ${kind}`, kind, mayBeRefused: true } as const
  if (kind === 'company') return write({ ...request, method: 'POST', path: `${path}/delete/commit`, body: {} }, changes)
  const query = `expectedVersion=${String(data.version)}`
  if (kind !== 'contact') return write({ ...request, method: 'DELETE', path: `${path}?${query}` }, changes)
  const mode = random.pick(['anonymize', 'full'])
  return write(
    {
      ...request,
      ...(mode === 'full' ? {} : { name: 'anonymize contact' }),
      method: 'DELETE',
      path: `${path}?${query}&mode=${mode}`,
    },
    changes,
  )
}

/** The next write; null when there is nothing yet that it could be about. */
export function chooseWrite(random: Random, history: History, surroundings: Surroundings): Write | null {
  const kind = random.pick(kinds)
  const all = history.all(kind)
  if (all.length < fewest) return create(kind, random, history, surroundings)
  const record = skewed(random, all)
  const choice = random.next()
  if (choice < 0.5) return patch(kind, record, random, history, surroundings)
  if (choice < 0.65) return tag(kind, record, random, surroundings)
  if (choice < 0.8 && kind === 'company') return link(record, random, history)
  if (choice < 0.8 && kind === 'deal') return move(record, random, surroundings)
  if (choice < 0.9 && all.length < most) return create(kind, random, history, surroundings)
  return remove(kind, random.pick(all), random, history)
}
