import { readNames, readTable } from './table.ts'

/** A sales agent becomes an operator of the organization. */
export type Agent = { name: string; email: string }

export function readAgents(text: string): Agent[] {
  const rows = readTable('sales_teams.csv', text)
  return readNames(rows, 'sales_agent').map(name => ({ name, email: emailOf(name) }))
}

/** The file has no addresses: `Mei-Mei Johns` always becomes `mei-mei.johns@example.com`. */
function emailOf(name: string): string {
  const withoutAccents = name.normalize('NFKD').replace(/\p{Mark}/gu, '')
  const words = withoutAccents.toLowerCase().match(/[a-z0-9-]+/g) ?? []
  return `${words.join('.')}@example.com`
}
