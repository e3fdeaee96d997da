import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/index.ts'

/** What the rows of a file are about. */
export const importedRows = ['contacts', 'companies', 'company_contacts', 'deal_contacts', 'deal_companies'] as const

export type ImportedRows = (typeof importedRows)[number]

type Strategy = 'create_or_update' | 'create_only' | 'update_only' | 'skip_existing'

/** How a start treats the rows and cells that do not fit as they are. */
export interface ImportChoices {
  readonly missingCompany: 'refuse' | 'create' | 'leave_out'
  readonly missingTag: 'refuse' | 'leave_out'
  readonly onInvalidCell: 'refuse_row' | 'leave_out'
  readonly dateFormat: 'auto' | 'DMY' | 'MDY' | 'YMD'
  readonly decimalMark: 'auto' | '.' | ','
}

export interface ImportRowFailure {
  readonly row: number
  readonly column: string | null
  readonly code: string
  readonly message: string
  readonly value: string | null
  readonly outcome: 'failed' | 'left_out'
}

interface Undo {
  readonly status: 'queued' | 'running' | 'completed' | 'canceled' | 'failed'
  readonly counters: {
    readonly total: number | null
    readonly done: number
    readonly removed: number
    readonly restored: number
    readonly kept: number
  }
  readonly kept: readonly { readonly resourceType: string; readonly id: string; readonly reason: string }[]
}

/** An import, as the server shows it. */
export interface ImportJob extends ImportChoices {
  readonly id: string
  readonly entityType: ImportedRows
  readonly status: string
  readonly fileName: string
  readonly rowCount: number | null
  readonly mapping: Readonly<Record<string, string | number>> | null
  readonly dedupPolicy: {
    readonly strategy: Strategy
    readonly matchBy: readonly string[]
    readonly onConflict: 'fill_empty' | 'overwrite'
  } | null
  readonly dryRun: boolean
  readonly counters: Readonly<
    Record<'total' | 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed' | 'pending', number>
  >
  readonly createdCompanies: number
  readonly errors: readonly ImportRowFailure[]
  readonly errorsFileUrl?: string
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly applicationId: string | null
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly undoableUntil: string | null
  readonly undo: Undo | null
}

/** How a file is read: what was chosen in the place of what the server finds out. */
export interface FileReading {
  readonly encoding?: string
  readonly delimiter?: string
  readonly sheetName?: string
  readonly headerRow?: number
}

export interface PreviewColumn {
  readonly index: number
  readonly name: string
  readonly samples: readonly string[]
  readonly detectedType: string
  readonly suggestedField: string | null
}

export interface PreviewField {
  readonly key: string
  readonly label: string
  readonly type: string
}

/** What the server finds in a file. */
export interface ImportPreview {
  readonly columns: readonly PreviewColumn[]
  readonly fields: readonly PreviewField[]
  readonly rowCount: number
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly sheets: readonly string[]
  readonly suggestedHeaderRow: number | null
  readonly missingCompanies: {
    readonly named: number
    readonly missing: number
    readonly suggested: ImportChoices['missingCompany']
  } | null
  readonly warnings: readonly {
    readonly code: string
    readonly message: string
    readonly column: number | null
    readonly example: string | null
  }[]
}

/** What can be chosen for an import. */
export interface ImportSetup {
  readonly applications: readonly { readonly id: string; readonly name: string }[]
  /** The last import of a file with the same columns. */
  readonly earlier: ImportJob | null
}

/** Where a user is on the way from a file to its result. */
export const importSteps = ['file', 'columns', 'check', 'progress', 'result'] as const

export type ImportStep = (typeof importSteps)[number]

/** The step that an import is at. */
export function importStepOf({
  status,
  dryRun,
  finishedAt,
}: Pick<ImportJob, 'status' | 'dryRun' | 'finishedAt'>): ImportStep {
  if (status === 'uploaded' || status === 'ready') return 'columns'
  if (finishedAt === null) return dryRun ? 'check' : 'progress'
  const isChecked = dryRun && (status === 'completed' || status === 'completed_with_errors')
  return isChecked ? 'check' : 'result'
}

/** Whether its server works on an import, or on its undo, so that it is worth looking again. */
function isUnderWay({ status, undo }: Pick<ImportJob, 'status' | 'undo'>): boolean {
  return ['queued', 'running', 'canceling'].includes(status) || undo?.status === 'queued' || undo?.status === 'running'
}

/** The path of an import below the address of the API. */
export const pathOfImport = (organization: string, id: string) => `/o/${organization}/crm/imports/${id}`

/** The path of what only the cabinet does with an import. */
export const pathBesideImport = (organization: string, id: string, part: 'setup' | 'undo') =>
  `/o/${organization}/imports/${id}/${part}`

const [soonest, latest] = [500, 5_000]

/** An import, read again while the server works on it: often at first, then less. */
export function importQuery(organization: string, id: string) {
  return queryOptions({
    queryKey: ['import', organization, id],
    queryFn: ({ signal }) => request<ImportJob>('GET', pathOfImport(organization, id), { signal }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && isUnderWay(data) ? Math.min(latest, soonest + dataUpdateCount * 100) : false,
  })
}
