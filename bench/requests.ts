import { randomUUID } from 'node:crypto'
import type { SentRequest } from 'autocannon'
import type { Connection, OperationName, Target } from './protocol.ts'

const crm = '/api/v1/crm'
const base = `${crm}/contacts`
const batchSize = 100

/**
 * The endless sequence of requests of one connection. Every write has a new `Idempotency-Key`. Only this connection changes its records,
 * and it counts their versions, so no measured request is ever refused.
 */
export function requestsOf(operation: OperationName, connection: Connection): () => Omit<SentRequest, 'headers'> {
  const targets = connection.targets.map(target => ({ ...target }))
  const next = cycle(targets)
  switch (operation) {
    case 'get':
      return () => ({ method: 'GET', path: `${base}/${next().id}` })
    case 'list':
      return () => ({ method: 'GET', path: `${base}?limit=50` })
    case 'changes': {
      const nextCursor = cycle(connection.cursors)
      return () => ({ method: 'GET', path: `${crm}/changes?after=${nextCursor()}&limit=100` })
    }
    case 'audit':
      return () => ({ method: 'GET', path: `${crm}/audit?limit=50` })
    case 'create':
      return () => ({ method: 'POST', path: base, body: JSON.stringify(newContact()) })
    case 'patch':
      return () => {
        const target = next()
        const body = JSON.stringify({ expectedVersion: target.version, ...newFacts() })
        target.version += 1
        return { method: 'PATCH', path: `${base}/${target.id}`, body }
      }
    case 'upsert':
      return () => ({ method: 'POST', path: `${base}/upsert`, body: JSON.stringify(changeByKey(next())) })
    case 'list-search':
      return () => ({ method: 'GET', path: `${base}?limit=50&search=petrova-${hex()}` })
    case 'search-part':
      return () => search(pick(['etr', 'mit', 'arc', 'van', 'ell'], count()))
    case 'search-word':
      return () => search(`petrova-${hex()}`)
    case 'search-two':
      return () => search(pick(['pe', 'sm', 'ga', 'iv', 'ke'], count()))
    case 'search-similar':
      return () => search(pick(['pertova', 'smtih', 'garica', 'ivnaov', 'kelelr'], count()))
    case 'batch':
      return () => ({ method: 'POST', path: `${base}/batch/upsert`, body: JSON.stringify({ items: batchItems(next) }) })
  }
}

/** Alternates new contacts and changes of known ones: the two halves of a nightly synchronization. */
function batchItems(next: () => { -readonly [Name in keyof Target]: Target[Name] }): unknown[] {
  return Array.from({ length: batchSize }, (_, index) => {
    if (index % 2 === 0) return newContact()
    return changeByKey(next())
  })
}

/** A change of a known contact, identified by its key. */
function changeByKey(target: { -readonly [Name in keyof Target]: Target[Name] }) {
  const item = { externalId: target.externalId, expectedVersion: target.version, ...newFacts() }
  target.version += 1
  return item
}

let made = 0

function count(): number {
  made += 1
  return made
}

/** The distinguishing part of the last names of the scene. */
const hex = () => (count() % 10_000).toString(16)

const search = (q: string) => ({ method: 'GET', path: `/api/v1/crm/search?limit=20&q=${q}` }) as const

function newContact() {
  made += 1
  const digits = String(made % 10_000).padStart(4, '0')
  return {
    externalId: `bench-${randomUUID()}`,
    firstName: pick(['Anna', 'Boris', 'Carla', 'Dmitri', 'Elena'], made),
    lastName: `${pick(['Petrova', 'Smith', 'Garcia', 'Ivanov', 'Keller'], Math.floor(made / 5))}-${made}`,
    jobTitle: 'Head of purchasing',
    source: 'website',
    contactData: {
      phones: [{ value: `+1 202 555 ${digits}`, label: 'mobile', isPrimary: true }],
      emails: [{ value: `contact.${made}@example.com`, label: 'work', isPrimary: true }],
    },
  }
}

/** Two fields with values that always differ from the previous ones. */
function newFacts() {
  made += 1
  return { jobTitle: `Buyer ${made}`, description: `Met at the fair, asked for offer ${made} and a call back in May.` }
}

function pick(words: readonly string[], index: number): string {
  return words[index % words.length] ?? ''
}

function cycle<Item>(items: readonly Item[]): () => Item {
  let index = 0
  return () => {
    const item = items[index % items.length]
    if (item === undefined) throw new Error('the connection has no records of its own')
    index += 1
    return item
  }
}
