import { type BulkAction, type Caller, mayRead } from '../../kernel/index.ts'
import { isObject, type Projection } from '../../kernel/schema/index.ts'

/**
 * Jobs as a caller may see them: values that the token has no scope to read are taken out of `changes` (contract
 * section 5). Errors tell of no values.
 */
export function projectBulkJobs(actions: readonly BulkAction[]) {
  const guards = actions.flatMap(action => guardsOf(action))
  return (data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } => {
    const hidden = guards.filter(({ projection }) => !mayRead(projection, caller.scopes))
    if (hidden.length === 0) return { data, redacted: [] }
    const shown = (job: unknown) => (isObject(job) && isObject(job.changes) ? withoutHidden(job, job.changes) : job)
    const withoutHidden = (job: object, changes: object) => ({
      ...job,
      changes: Object.fromEntries(
        Object.entries(changes).filter(([name]) => !hidden.some(guard => guard.name === name && guard.isOf(job))),
      ),
    })
    const redacted = [...new Set(hidden.map(({ projection }) => projection))]
    return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted }
  }
}

interface Guard {
  readonly name: string
  readonly projection: Projection
  isOf(job: object): boolean
}

/** The protected members that the changes of an action can have. */
function guardsOf({ resource, name: action, members }: BulkAction): Guard[] {
  const isOf = (job: object) => isObject(job) && job.entityType === resource.kind && job.action === action
  return Object.keys(members).flatMap(name => {
    const projection = resource.fields[name]?.projection
    return projection === undefined ? [] : [{ name, projection, isOf }]
  })
}
