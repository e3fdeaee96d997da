import type { JsonObject } from '../server/src/kernel/schema/index.ts'
import { productBody, productId } from './fill-products.ts'
import type { Target } from './protocol.ts'

/** Sends a request, and returns the body of the answer. */
export type Send = (method: string, path: string, body?: object) => Promise<JsonObject>
export type Work = () => Promise<unknown>
export type ProductPair = readonly [name: string, contact: Work, product: Work]

const contacts = '/api/v1/crm/contacts'
const pageSize = 20

interface Collection {
  readonly path: string
  /** How many products it has, numbered as they were filled. */
  readonly count: number
}

/** A request about contacts, and its equivalent about products. */
export function productPairs(send: Send, targets: readonly Target[], products: Collection): ProductPair[] {
  const known = targets.map(target => ({ ...target }))
  let asked = 0
  const contact = () => {
    asked += 1
    return known[asked % known.length] ?? { id: '', externalId: '', version: 0 }
  }
  const product = () => {
    asked += 1
    // A step that is coprime to their number visits all of them, far apart from one another.
    const number = (asked * 7919) % products.count
    return { path: `${products.path}/${productId(number)}`, body: productBody(number) }
  }
  const contactPage = () => send('GET', `${contacts}?limit=${pageSize}`)
  const page = (number: number) => () => send('GET', `${products.path}?limit=${pageSize}&page=${number}`)
  const lastPage = products.count / pageSize
  return [
    ['the first page', contactPage, page(1)],
    ['page 100', contactPage, page(100)],
    ['the page in the middle', contactPage, page(lastPage / 2)],
    ['the last page', contactPage, page(lastPage)],
    [
      'POST of a contact, of a product',
      () => {
        asked += 1
        return send('POST', contacts, { firstName: 'Anna', lastName: `Petrova ${asked}`, jobTitle: 'Buyer' })
      },
      () => {
        asked += 1
        return send('POST', products.path, productBody(asked))
      },
    ],
    [
      'found by its id, nothing to change',
      () => {
        const { externalId, version } = contact()
        return send('POST', `${contacts}/upsert`, { externalId, expectedVersion: version })
      },
      () => {
        const { path, body } = product()
        return send('PUT', path, body)
      },
    ],
    [
      'PATCH of a contact, PUT of a product',
      () => {
        const target = contact()
        const body = {
          expectedVersion: target.version,
          jobTitle: `Buyer ${asked}`,
          description: `Met at fair ${asked}.`,
        }
        target.version += 1
        return send('PATCH', `${contacts}/${target.id}`, body)
      },
      () => {
        const { path, body } = product()
        return send('PUT', path, { ...body, name: `${body.name}, edition ${asked}`, sku: `E-${asked}` })
      },
    ],
  ]
}
