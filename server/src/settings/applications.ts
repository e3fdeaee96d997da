import { rateDefaults } from '../kernel/limits/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { administer } from './administer.ts'
import { noSuch } from './administration-error.ts'
import { nameOf, rateOf, requireChange, uuidOf } from './values.ts'

const insertApplication = statement(
  'insert_application',
  `insert into applications (organization_id, id, name, rate_read, rate_write, created_at)
   select o.id, $2, $3, $4, $5, now() from organizations o where o.id = $1
   returning id`,
)

const updateApplication = statement(
  'update_application',
  `update applications a
      set rate_read = coalesce($3, a.rate_read), rate_write = coalesce($4, a.rate_write),
          enabled = coalesce($5, a.enabled)
    where a.organization_id = $1 and a.id = $2
   returning a.id`,
)

export interface NewApplication {
  readonly organizationId: string
  readonly name: string
  /** Requests per minute. */
  readonly rateRead?: number | undefined
  readonly rateWrite?: number | undefined
}

/** Creates an application: what tokens, rate limits, external and idempotency keys belong to. */
export async function createApplication(database: Database, input: NewApplication): Promise<{ id: string }> {
  const { rateRead = rateDefaults.read, rateWrite = rateDefaults.write } = input
  const organizationId = uuidOf('organization', input.organizationId)
  const name = nameOf('the name of an application', input.name)
  const rates = [rateOf('the read rate', rateRead), rateOf('the write rate', rateWrite)]
  const id = newId()
  return administer(database, async transaction => {
    const inserted = await transaction.query(insertApplication, [organizationId, id, name, ...rates])
    if (inserted.length === 0) throw noSuch('organization', input.organizationId)
    return { id }
  })
}

export interface ApplicationChange {
  readonly organizationId: string
  readonly applicationId: string
  readonly rateRead?: number | undefined
  readonly rateWrite?: number | undefined
  /** A disabled application's tokens are refused. */
  readonly enabled?: boolean | undefined
}

/** Changes what is given. Throws an `AdministrationError` for an unknown application or a rate that is not valid. */
export async function setApplication(
  database: Database,
  { organizationId, applicationId, ...change }: ApplicationChange,
): Promise<{ id: string }> {
  requireChange(change)
  const { rateRead, rateWrite, enabled } = change
  const organization = uuidOf('organization', organizationId)
  const id = uuidOf('application', applicationId)
  const rates = [
    rateRead === undefined ? null : rateOf('the read rate', rateRead),
    rateWrite === undefined ? null : rateOf('the write rate', rateWrite),
  ]
  return administer(database, async transaction => {
    const updated = await transaction.query(updateApplication, [organization, id, ...rates, enabled ?? null])
    if (updated.length === 0) throw noSuch('application', applicationId)
    return { id }
  })
}
