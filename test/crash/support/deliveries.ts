import { objectOf } from '../../support/client.ts'
import { type Delivery, partsOf } from './courier.ts'

/** Ids of the records in an answer. */
function idsIn(delivery: Delivery): string[] {
  const { data, items } = partsOf(delivery)
  return [data, ...items.map(element => objectOf(element.data))].flatMap(({ id }) =>
    typeof id === 'string' ? [id] : [],
  )
}

/** Those of these persons of whom an answer tells; the answer to an erasure tells of nobody. */
export function personsIn(delivery: Delivery, persons: ReadonlySet<string>): string[] {
  return delivery.method === 'DELETE' ? [] : idsIn(delivery).filter(id => persons.has(id))
}

/** A few at a time, as many as one organization is served at once. */
export async function severalAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all([worker(), worker(), worker(), worker()])
}
