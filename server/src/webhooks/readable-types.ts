import { isSynchronized, type Services } from '../kernel/index.ts'

/** The kinds of records and the types of jobs whose events these scopes may read. */
export function readableTypes(
  { resources, jobTypes }: Pick<Services, 'resources' | 'jobTypes'>,
  scopes: ReadonlySet<string>,
): Set<string> {
  return new Set([
    ...resources.flatMap(each => (isSynchronized(each) && scopes.has(each.scopes.read) ? each.kind : [])),
    ...jobTypes.flatMap(({ type, scope }) => (scopes.has(scope) ? type : [])),
  ])
}
