import { type Row, type Statement, statement } from '../sql/index.ts'

const selectOperatorEmails = statement(
  'select_operator_emails',
  'select p.id, lower(p.email) as email from operators p where p.organization_id = $1 and p.active and p.email is not null',
)

/** The active operators of an organization by their e-mail addresses in lower case, for the columns of files. */
export async function operatorEmails(
  connection: { query(asked: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query(selectOperatorEmails, [organizationId])
  return new Map(rows.map(({ id, email }) => [String(email), String(id)]))
}
