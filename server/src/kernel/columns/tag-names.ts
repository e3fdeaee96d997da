import { type Row, type Statement, statement } from '../sql/index.ts'

const selectTagNames = statement('select_tag_names', 'select g.id, g.name from tags g where g.organization_id = $1')

/** The names of all tags of an organization by their ids, for the columns of files. */
export async function tagNames(
  connection: { query(asked: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query(selectTagNames, [organizationId])
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]))
}
