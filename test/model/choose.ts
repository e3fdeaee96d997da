import { type JsonObject, newId } from '../../server/src/kernel/schema/index.ts'
import type { Random } from '../support/random.ts'
import type { Request } from './action.ts'
import { type Choice, oneOf } from './choice.ts'
import { choosePart } from './choose-part.ts'
import type { Sighting, Sightings } from './sightings.ts'
import { type Kind, plurals } from './world.ts'

const kinds = ['contact', 'company', 'deal', 'task'] as const

function references(random: Random, sightings: Sightings, kind: Kind, most: number): { id: string }[] {
  const all = [...sightings.records[kind].keys()]
  return all.length === 0 || random.next() < 0.3 ? [] : random.some(all, most).map(id => ({ id }))
}

function reference(random: Random, sightings: Sightings, kind: Kind): JsonObject | null {
  return references(random, sightings, kind, 1)[0] ?? null
}

const text = (random: Random) => `Text ${random.between(1, 9)}`

/** Members for a new record or a change. */
function membersOf(kind: Kind, random: Random, sightings: Sightings, isNew: boolean): JsonObject {
  const maybe = (members: JsonObject) => (isNew || random.next() < 0.5 ? members : {})
  switch (kind) {
    case 'contact':
      return { firstName: text(random), ...maybe({ jobTitle: random.pick([text(random), null]) }) }
    case 'company':
      return { name: text(random), ...maybe({ industry: random.pick([text(random), null]) }) }
    case 'deal':
      return {
        title: text(random),
        ...maybe({ companies: references(random, sightings, 'company', 3) }),
        ...maybe({ contacts: references(random, sightings, 'contact', 3) }),
        ...(random.next() < 0.1 ? { currency: random.pick(['USD', 'EUR']) } : {}),
      }
    case 'task':
      return {
        title: text(random),
        status: random.pick(['todo', 'in_progress', 'done', 'canceled']),
        ...maybe({ deal: reference(random, sightings, 'deal') }),
        ...maybe({ contact: reference(random, sightings, 'contact') }),
        ...maybe({ company: reference(random, sightings, 'company') }),
      }
  }
}

const choices: readonly Choice[] = [
  (random, sightings) => {
    const kind = random.pick(kinds)
    const body = membersOf(kind, random, sightings, true)
    return { name: 'create', method: 'POST', path: `/${plurals[kind]}`, body, facts: { kind } }
  },
  (random, sightings) => {
    const kind = random.pick(kinds)
    const record = oneOf(random, sightings, kind)
    if (record === null) return null
    const body = { expectedVersion: record.version, ...membersOf(kind, random, sightings, false) }
    const { id } = record
    return { name: 'update', method: 'PATCH', path: `/${plurals[kind]}/${id}`, body, facts: { kind, id } }
  },
  (random, sightings) => {
    const kind = random.pick(kinds)
    const body = { ...keyed(random, sightings, kind), ...membersOf(kind, random, sightings, true) }
    return { name: 'upsert', method: 'POST', path: `/${plurals[kind]}/upsert`, body, facts: { kind } }
  },
  (random, sightings) => {
    const kind = random.pick(['contact', 'deal', 'task'] as const)
    const items = Array.from({ length: random.between(1, 4) }, () => ({
      ...keyed(random, sightings, kind),
      ...membersOf(kind, random, sightings, true),
    }))
    return { name: 'batch', method: 'POST', path: `/${plurals[kind]}/batch/upsert`, body: { items }, facts: { kind } }
  },
  (random, sightings, { stages, lostStage, lostReason }) => {
    const record = oneOf(random, sightings, 'deal')
    if (record === null) return null
    const stageUuid = random.pick(stages)
    const reason = stageUuid === lostStage ? { lostReasonCategoryUuid: lostReason } : {}
    const body = { expectedVersion: record.version, stageUuid, position: random.between(0, 5), ...reason }
    const facts = { kind: 'deal', id: record.id }
    return { name: 'move', method: 'PATCH', path: `/deals/${record.id}/move`, body, facts }
  },
  (random, sightings, { tagIds: all }) => {
    const kind = random.pick(kinds)
    const record = oneOf(random, sightings, kind)
    if (record === null) return null
    const tagIds = random.next() < 0.2 ? [] : random.some(all, all.length)
    const body = { expectedVersion: record.version, tags: tagIds.map(id => ({ id })) }
    const facts = { kind, id: record.id, tagIds }
    return { name: 'tag', method: 'PUT', path: `/${plurals[kind]}/${record.id}/tags`, body, facts }
  },
  (random, sightings) => {
    const kind = random.pick(kinds)
    const { size } = sightings.records[kind]
    const record = size < 8 ? null : oneOf(random, sightings, kind)
    return record === null ? null : removal(random, kind, record)
  },
  (random, sightings) => {
    const kind = random.pick(kinds)
    const record = oneOf(random, sightings, kind)
    if (record === null) return null
    return { name: 'read', method: 'GET', path: `/${plurals[kind]}/${record.id}`, facts: { kind, id: record.id } }
  },
  choosePart,
  choosePart,
]

/** A key that several clients use, with the version of the record that has it, as far as it is known. */
function keyed(random: Random, sightings: Sightings, kind: Kind): JsonObject {
  const externalId = random.next() < 0.3 ? newId() : `key-${random.between(1, 12)}`
  const known = [...sightings.records[kind].values()].find(({ data }) => data.externalId === externalId)
  return known === undefined || random.next() < 0.1 ? { externalId } : { externalId, expectedVersion: known.version }
}

function removal(random: Random, kind: Kind, { id, version }: Sighting): Request {
  const facts = { kind, id }
  if (kind === 'company') {
    const body = random.next() < 0.5 ? { expectedVersion: version } : {}
    return { name: 'remove', method: 'POST', path: `/companies/${id}/delete/commit`, body, facts }
  }
  const path = `/${plurals[kind]}/${id}?expectedVersion=${version}`
  if (kind !== 'contact') return { name: 'remove', method: 'DELETE', path, facts }
  const mode = random.pick(['anonymize', 'full'])
  return { name: mode === 'full' ? 'remove' : 'anonymize', method: 'DELETE', path: `${path}&mode=${mode}`, facts }
}

export const choose: Choice = (random, sightings, surroundings) => random.pick(choices)(random, sightings, surroundings)
