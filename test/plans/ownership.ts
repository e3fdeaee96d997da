/** A statement names a table so; behind it may stand the name that the table has in the statement. */
const mention = /\b(?:from|join|into|update|using)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/gu

/** Words that may stand behind the name of a table, and are no other name of it. */
const words = new Set(
  'as cross for group inner join lateral left limit on offset order set union using values where'.split(' '),
)

/**
 * The tables of a statement, of those given, whose rows it does not tie to the organization of $1 by an equality that the planner
 * of a cluster understands: `t.organization_id = $1`, or that of another table which is tied so. New rows begin with the organization.
 */
export function untied(text: string, tables: ReadonlySet<string>): string[] {
  const places = [...text.matchAll(mention)].flatMap(([place, table = '', word]) => {
    if (!tables.has(table)) return []
    const alias = word === undefined || words.has(word) ? table : word
    return [{ table, alias, isNew: place.startsWith('into') }]
  })
  const tied = new Set(
    places.filter(({ table, alias }) => isTiedTo(text, alias, ownerOf(table), '\\$1')).map(({ alias }) => alias),
  )
  for (let before = -1; before !== tied.size; ) {
    before = tied.size
    for (const { table, alias } of places) {
      const others = places
        .filter(other => tied.has(other.alias))
        .map(other => `${other.alias}\\.${ownerOf(other.table)}`)
      if (others.length > 0 && isTiedTo(text, alias, ownerOf(table), `(?:${others.join('|')})`)) tied.add(alias)
    }
  }
  const owners = [
    '\\$1',
    ...places.filter(({ alias }) => tied.has(alias)).map(({ table, alias }) => `${alias}\\.${ownerOf(table)}`),
  ]
  return places
    .filter(({ table, alias, isNew }) => (isNew ? !beginsWith(text, table, owners) : !tied.has(alias)))
    .map(({ table }) => table)
}

const ownerOf = (table: string) => (table === 'organizations' ? 'id' : 'organization_id')

function isTiedTo(text: string, alias: string, owner: string, other: string): boolean {
  const own = `(?<![.\\w])(?:${alias}\\.)?${owner}`
  return new RegExp(`${own} = ${other}(?![\\w])|(?<![.\\w])${other} = ${alias}\\.${owner}\\b`, 'u').test(text)
}

function beginsWith(text: string, table: string, owners: readonly string[]): boolean {
  const columns = `into ${table}(?: as \\w+)? \\(${ownerOf(table)}\\b[^)]*\\)`
  return new RegExp(`${columns}\\s+(?:values \\(|select )(?:${owners.join('|')})(?!\\w)`, 'u').test(text)
}
