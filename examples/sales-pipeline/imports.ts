import type { Crm } from 'crm-sdk'
import type { Company } from './accounts.ts'
import type { Written } from './deals.ts'
import { untilEnded } from './jobs.ts'

/** Writes the companies as one file. Rows find their companies by key, and overwrite existing values. */
export async function importCompanies(crm: Crm, companies: readonly Company[]): Promise<string> {
  const columns = ['externalId', 'name', 'industry', 'employeesCount', 'description', 'address.country']
  const rows = companies.map(({ externalId, name, industry, employeesCount, description, contactData }) => [
    ...[externalId, name, industry, employeesCount, description],
    contactData.addresses[0]?.country ?? null,
  ])
  return importFile(crm, 'companies', columns, rows)
}

/** Links each deal to the company of its opportunity. Rows of links contain ids. */
export async function importDealCompanies(crm: Crm, written: Written[]): Promise<string> {
  const companyIds = new Map<string | null, string>()
  for await (const { externalId, id } of crm.companies.list({ limit: 100 })) companyIds.set(externalId, id)
  const rows = written.flatMap(({ opportunity: { account }, deal }) => {
    const companyId = account !== null && companyIds.get(account)
    return companyId ? [[deal.id, companyId]] : []
  })
  return importFile(crm, 'deal_companies', ['dealUuid', 'companyUuid'], rows)
}

type Cell = string | number | null

/** Uploads a table whose columns have the names of fields, starts the import, and waits for its end. Returns its result. */
async function importFile(crm: Crm, entityType: string, columns: string[], rows: Cell[][]): Promise<string> {
  const form = new FormData()
  form.append('entityType', entityType)
  form.append('file', new Blob([toCsv([columns, ...rows])], { type: 'text/csv' }), `${entityType}.csv`)
  const { id } = await crm.imports.upload(form)
  await crm.imports.start(id, {
    mapping: Object.fromEntries(columns.map(column => [column, column])),
    dedupPolicy: { strategy: 'create_or_update', matchBy: ['externalId'], onConflict: 'overwrite' },
  })
  const { status, counters, errors } = await untilEnded(() => crm.imports.get(id))
  if (status !== 'completed')
    throw new Error(`The import of ${entityType} ended ${status}: ${JSON.stringify(errors[0])}`)
  return `${counters.created} created, ${counters.updated} updated, ${counters.unchanged} unchanged`
}

function toCsv(rows: Cell[][]): string {
  const quoted = (cell: Cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`
  return rows.map(row => `${row.map(quoted).join(',')}\r\n`).join('')
}
