import type { FiledRows } from '../../kernel/columns/index.ts'
import { type Caller, mayRead, readJobRecords } from '../../kernel/index.ts'
import { isObject } from '../../kernel/schema/index.ts'
import { exportRecord, projectionsIn, shownExport } from './export.ts'
import { exportSchema } from './export-schema.ts'
import { type ExportType, exportTypes } from './types.ts'

type Types = Readonly<Record<ExportType, FiledRows>>

/**
 * `GET /exports` and `GET /exports/:id`: the exports of the application, their progress, and the links to their files (contract section
 * 10.2).
 */
export function readExports(types: Types) {
  return readJobRecords({
    record: exportRecord,
    group: 'exports',
    path: '/api/v1/crm/exports',
    article: 'an',
    name: 'export',
    scope: 'crm_export_manage',
    listed: 'The newest first.',
    purpose: ', and get its file',
    schema: exportSchema(types),
    project: projectExports(types),
    show: (row, { caller }, services) => shownExport(row, caller, types, services),
  })
}

/**
 * Exports as a caller may see them: only a token that may read everything in the file gets the link. Another token of the application, with
 * other scopes, may have requested the export.
 */
function projectExports(types: Types) {
  return (data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } => {
    const redacted = new Set<string>()
    const shown = (item: unknown) => {
      if (!isObject(item) || item.downloadUrl === undefined) return item
      const hidden = withheld(item, types, caller)
      if (hidden.length === 0) return item
      for (const projection of hidden) redacted.add(projection)
      const { downloadUrl: _, downloadUrlExpiresInSeconds: __, ...others } = item
      return others
    }
    return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted: [...redacted] }
  }
}

/** The projections in the file that the caller may not read. */
function withheld(item: Readonly<Record<string, unknown>>, types: Types, caller: Caller): string[] {
  const type = exportTypes.find(known => known === item.type)
  const left = Array.isArray(item.redacted) ? item.redacted : []
  return type === undefined ? [] : projectionsIn(types[type], left).filter(held => !mayRead(held, caller.scopes))
}
