import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../server/src/kernel/schema/index.ts'
import { type Database, type Row, statement } from '../server/src/kernel/sql/index.ts'
import type { SalesConfiguration } from './sales-configuration.ts'
import { feedCursor } from './scene.ts'

interface Place {
  readonly url: string
  readonly database: Database
  readonly configuration: SalesConfiguration & { readonly token: string }
}

// $2: percentage. Each record comes from another page of the table, and none is returned twice.
const selectContacts = statement(
  'growth_contacts',
  `select c.id, c.version::integer as version, c.last_name as name,
          c.contact_data #>> '{emails,0,value}' as email, c.contact_data #>> '{phones,0,e164}' as phone
     from contacts c tablesample bernoulli ($2) where c.organization_id = $1 order by random() limit 8000`,
)
const selectDeals = statement(
  'growth_deals',
  `select d.id, d.version::integer as version, d.stage_uuid
     from deals d tablesample bernoulli ($2)
    where d.organization_id = $1 and d.status = 'open' order by random() limit 2000`,
)

/** Sends requests to the server of one organization, and provides records for them. */
export class GrowthClient {
  readonly configuration: Place['configuration']
  readonly #place: Place
  readonly #contacts: Row[]
  readonly #deals: Row[]

  private constructor(place: Place, contacts: Row[], deals: Row[]) {
    this.configuration = place.configuration
    this.#place = place
    this.#contacts = contacts
    this.#deals = deals
  }

  /** Selects records for all requests in an organization of that size. */
  static async of(place: Place, records: number): Promise<GrowthClient> {
    const values = (of: number) => [place.configuration.organizationId, Math.min(100, (100 * of) / records)]
    const contacts = await place.database.search(selectContacts, values(9500))
    return new GrowthClient(place, contacts, await place.database.search(selectDeals, values(20_000)))
  }

  /** The position in the change feed before all events. */
  get start(): string {
    return feedCursor(this.configuration.organizationId, 0)
  }

  /** A contact that no request has used yet. */
  contact(): Row {
    return next(this.#contacts)
  }

  deal(): Row {
    return next(this.#deals)
  }

  /** Returns the body of the answer, or throws it if it is a refusal. */
  async send(method: string, path: string, body?: unknown): Promise<JsonObject> {
    const answer = await fetch(`${this.#place.url}/api/v1/crm${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.configuration.token}`,
        ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const content: unknown = await answer.json()
    if (answer.ok && isObject(content)) return content
    throw new Error(`${answer.status} for ${method} ${path}: ${JSON.stringify(content)}`)
  }
}

function next(rows: Row[]): Row {
  const row = rows.pop()
  if (row === undefined) throw new Error('there are no unused records left')
  return row
}
