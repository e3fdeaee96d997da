import { newId } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { configure } from './administer.ts'
import { AdministrationError, noSuch } from './administration-error.ts'
import { nameOf, requireChange, uuidOf } from './values.ts'

const insertOperator = statement(
  'insert_operator',
  `insert into operators (organization_id, id, name, email, created_at)
   values ($1, $2, $3, $4, now())
   on conflict do nothing
   returning id`,
)

const updateOperator = statement(
  'update_operator',
  'update operators p set active = $3 where p.organization_id = $1 and p.id = $2 returning p.id',
)

const emailForm = /^[^\s@]+@[^\s@]+$/u

export interface NewOperator {
  readonly organizationId: string
  readonly name: string
  /** Unique in the organization, whatever its letter case. */
  readonly email: string
}

/** Creates an operator: a person of the organization, who can own records. */
export async function createOperator(database: Database, input: NewOperator): Promise<{ id: string }> {
  const name = nameOf('the name of an operator', input.name)
  const email = nameOf('an e-mail address', input.email, 254)
  if (!emailForm.test(email)) throw new AdministrationError(`"${email}" is no e-mail address`)
  const id = newId()
  return configure(database, input.organizationId, async (transaction, organizationId) => {
    const inserted = await transaction.query(insertOperator, [organizationId, id, name, email])
    if (inserted.length === 0) throw new AdministrationError(`another operator has the e-mail address ${email}`)
    return { id }
  })
}

export interface OperatorChange {
  readonly organizationId: string
  readonly operatorId: string
  /** An inactive operator keeps what they own and gets nothing new. */
  readonly active?: boolean | undefined
}

/** Changes an operator. Throws an `AdministrationError` when there is no such one. */
export async function setOperator(
  database: Database,
  { organizationId, operatorId, ...change }: OperatorChange,
): Promise<{ id: string }> {
  requireChange(change)
  const id = uuidOf('operator', operatorId)
  return configure(database, organizationId, async (transaction, organization) => {
    const updated = await transaction.query(updateOperator, [organization, id, change.active])
    if (updated.length === 0) throw noSuch('operator', operatorId)
    return { id }
  })
}
