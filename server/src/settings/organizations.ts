import { newId } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { administer, configure } from './administer.ts'
import { defaultLostReasons, insertLostReason } from './lost-reasons.ts'
import { defaultPipeline, insertPipeline } from './pipelines.ts'
import { currencyOf, nameOf, requireChange, timeZoneOf, wordOf } from './values.ts'

// A type, not an interface: rows have an index signature.
export type Organization = {
  readonly id: string
  readonly name: string
  readonly timeZone: string
  readonly defaultCurrency: string
  readonly currencies: readonly string[]
  readonly locale: string
  readonly country: string
  readonly crmProvider: string
  readonly sandbox: boolean
}

const columns = `o.id, o.name, o.time_zone as "timeZone", o.default_currency as "defaultCurrency", o.currencies,
          o.locale, o.country, o.crm_provider as "crmProvider", o.sandbox`

const insertOrganization = statement(
  'insert_organization',
  `insert into organizations as o (id, name, time_zone, default_currency, currencies, locale, country, sandbox, created_at)
   values ($1, $2, $3, $4, array[$4], 'en', 'US', $5, now())
   returning ${columns}`,
)

const insertFeed = statement('insert_feed', 'insert into organization_feed (organization_id, seq) values ($1, 0)')

// Amounts without a currency are in the default one, so it stays enabled.
const updateOrganization = statement(
  'update_organization',
  `update organizations o
      set crm_provider = coalesce($2, o.crm_provider),
          currencies = case when $3::text[] is null then o.currencies
                            else array_prepend(o.default_currency, array_remove($3, o.default_currency)) end,
          time_zone = coalesce($4, o.time_zone)
    where o.id = $1
   returning ${columns}`,
)

export interface NewOrganization {
  readonly name: string
  readonly timeZone?: string | undefined
  readonly currency?: string | undefined
  /** For trials: its tokens are of the environment `test`. */
  readonly sandbox?: boolean | undefined
}

/**
 * Creates an organization with its feed, one pipeline and three lost reasons; UTC and USD unless told.
 * Throws an `AdministrationError` for a value that is not valid.
 */
export async function createOrganization(database: Database, input: NewOrganization): Promise<Organization> {
  const { timeZone = 'UTC', currency = 'USD', sandbox = false } = input
  const id = newId()
  const values = [id, nameOf('the name of an organization', input.name), timeZoneOf(timeZone), currencyOf(currency)]
  return administer(database, async transaction => {
    const [organization] = await transaction.query<Organization>(insertOrganization, [...values, sandbox])
    if (organization === undefined) throw new Error('the organization was not inserted')
    await transaction.query(insertFeed, [id])
    await insertPipeline(transaction, id, defaultPipeline)
    for (const name of defaultLostReasons) await insertLostReason(transaction, id, { name })
    return organization
  })
}

export interface OrganizationChange {
  readonly organizationId: string
  readonly crmProvider?: string | undefined
  /** The currencies that are enabled from now on; the default currency always is. */
  readonly currencies?: readonly string[] | undefined
  readonly timeZone?: string | undefined
}

/** Changes what is given. Throws an `AdministrationError` for an unknown organization or a value that is not valid. */
export async function setOrganization(
  database: Database,
  { organizationId, ...change }: OrganizationChange,
): Promise<Organization> {
  requireChange(change)
  const { crmProvider, currencies, timeZone } = change
  const provider = crmProvider === undefined ? null : wordOf('the provider', ['built_in', 'external'], crmProvider)
  const enabled = currencies === undefined ? null : [...new Set(currencies.map(currencyOf))]
  const zone = timeZone === undefined ? null : timeZoneOf(timeZone)
  return configure(database, organizationId, async (transaction, id) => {
    const [organization] = await transaction.query<Organization>(updateOrganization, [id, provider, enabled, zone])
    if (organization === undefined) throw new Error('the organization was not updated')
    return organization
  })
}
