import type { Scope } from '../../auth/index.ts'
import { cabinetPath } from '../../conventions.ts'
import { notFound } from '../../errors/index.ts'
import type { Decision, Mutation } from '../../mutation/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import { jsonBody, Lookup, type WriteContext } from '../../record/index.ts'
import { objectSchema, uuidSchema, violates } from '../../schema/index.ts'
import { mutate } from '../../write.ts'
import type { JobRecord } from './job-record.ts'

/** How users cancel the work of a record. */
interface Cancelable<State> {
  readonly record: JobRecord<State>
  /** The group of its operations: `bulkJobs`. */
  readonly group: string
  /** `/bulk-jobs` */
  readonly path: string
  /** `bulk job` */
  readonly name: string
  readonly scope: Scope
  /** What to write when it ends. */
  end(state: State, write: WriteContext): Pick<Decision<unknown>, 'rows' | 'events' | 'sweep'>
}

/**
 * `POST …/<path>/{id}/cancel` of the cabinet: ends the work; what it has done stays. Work that has ended answers 422, and 404 that of
 * another user where records are private (contract section 18).
 */
export function cancelJobRecord<State extends { readonly startedBy: string | null }>({
  record,
  group,
  path,
  name,
  scope,
  end,
}: Cancelable<State>): Operation {
  return defineOperation({
    id: `${group}.cancel`,
    method: 'POST',
    path: cabinetPath(`${path}/{id}/cancel`),
    summary: `Cancel the work of this ${name}`,
    description: 'What it has done stays.',
    scopes: [scope],
    body: jsonBody('JobCancel', {}),
    answer: { data: objectSchema('CanceledJob', { id: uuidSchema }) },
    refuses: [
      ['not_found', `There is no such ${name}.`],
      ['unprocessable', `The ${name} has ended already.`],
    ],
    execute({ path: { id = '' }, caller, actor }, services) {
      const locked = new Lookup(record.lock, [id], ([row]) => (row === undefined ? null : record.read(row)))
      const mutation: Mutation<{ readonly id: string }> = {
        needs: needs => needs.toLoad(locked),
        decide(work, write) {
          const state = work.read(locked)
          const isOthers = record.isPrivate === true && !caller.scopes.has('audit_all')
          if (state === null || (isOthers && state.startedBy !== caller.author.uuid)) return notFound()
          const { status, finishedAt } = record.progress(state)
          if (finishedAt !== null)
            return violates('', 'status', `The ${name} is ${status} already and cannot be canceled`, { status })
          return { result: { id }, ...end(state, write) }
        },
      }
      return mutate(mutation, actor, services, data => ({ status: 200, data, tellsOf: [id] }))
    },
  })
}
