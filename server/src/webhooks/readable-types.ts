import { type Services } from '../kernel/index.ts'
import type { AskedRecords } from './asked-records.ts'

/**
 * The kinds of records and the types of jobs whose events these scopes may read. If records are chosen by filters whose scopes are missing,
 * nothing may be read: what is sent would tell what it hides.
 */
export function readableTypes(
  { resources, jobTypes }: Pick<Services, 'resources' | 'jobTypes'>,
  scopes: ReadonlySet<string>,
  records: Pick<AskedRecords, 'scopes'> | null,
): Set<string> {
  if (records !== null && !records.scopes.every(scope => scopes.has(scope))) return new Set()
  return new Set([
    ...resources.flatMap(each => (each.isSynchronized && scopes.has(each.scopes.read) ? each.kind : [])),
    ...jobTypes.flatMap(({ type, scope }) => (scopes.has(scope) ? type : [])),
  ])
}
