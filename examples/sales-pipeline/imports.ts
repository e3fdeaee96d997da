import { setTimeout as pause } from 'node:timers/promises'
import type { Company } from './accounts.ts'
import type { Client } from './client.ts'
import type { Deal } from './deals.ts'
import { integerOf, listOf, memberOf, textOf } from './json.ts'

const mostWait = 5000

/** Writes the companies as one file. Rows find their companies by key, and overwrite existing values. */
export async function importCompanies(client: Client, companies: Company[]): Promise<string> {
  const columns = ['externalId', 'name', 'industry', 'employeesCount', 'description', 'address.country']
  const rows = companies.map(({ externalId, name, industry, employeesCount, description, contactData }) => [
    ...[externalId, name, industry, employeesCount, description],
    contactData.addresses[0]?.country ?? null,
  ])
  return importFile(client, 'companies', columns, rows)
}

/** Links each deal to the company of its opportunity, identified by its key. */
export async function importDealCompanies(
  client: Client,
  deals: Deal[],
  companyIds: Map<string, string>,
): Promise<string> {
  const rows = deals.flatMap(({ id, opportunity: { account } }) => {
    const companyId = account === null ? undefined : companyIds.get(account)
    return companyId === undefined ? [] : [[id, companyId]]
  })
  return importFile(client, 'deal_companies', ['dealUuid', 'companyUuid'], rows)
}

type Cell = string | number | null

/** Uploads a table whose columns have the names of fields, starts the import, and waits for its end. Returns its result. */
async function importFile(client: Client, entityType: string, columns: string[], rows: Cell[][]): Promise<string> {
  const form = new FormData()
  form.append('entityType', entityType)
  form.append('file', new Blob([toCsv([columns, ...rows])], { type: 'text/csv' }), `${entityType}.csv`)
  const id = textOf((await client.upload('/imports', form)).data, 'id')
  await client.post(`/imports/${id}/start`, {
    mapping: Object.fromEntries(columns.map(column => [column, column])),
    dedupPolicy: { strategy: 'create_or_update', matchBy: ['externalId'], onConflict: 'overwrite' },
  })
  for (let wait = 100; ; wait = Math.min(mostWait, wait * 2)) {
    const { data } = await client.get(`/imports/${id}`)
    const status = textOf(data, 'status')
    if (status === 'completed') return describe(memberOf(data, 'counters'))
    if (!['queued', 'running'].includes(status))
      throw new Error(`The import of ${entityType} ended ${status}${reasonOf(data)}`)
    await pause(wait)
  }
}

function describe(counters: unknown): string {
  return ['created', 'updated', 'unchanged'].map(name => `${integerOf(counters, name)} ${name}`).join(', ')
}

/** The first error, which is enough to find the row. */
function reasonOf(data: unknown): string {
  const [error] = listOf(data, 'errors')
  return error === undefined ? '' : `: row ${integerOf(error, 'row')}: ${textOf(error, 'message')}`
}

function toCsv(rows: Cell[][]): string {
  const quoted = (cell: Cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`
  return rows.map(row => `${row.map(quoted).join(',')}\r\n`).join('')
}
