import { bodyOf, creating, Lookup, makeChange, type Operation, Refusal, refuse, updating } from '../../kernel/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { apiIntegration } from './api-integration.ts'

const findByName = claimedStatement(
  'find_api_integration_by_name',
  'select t.id from api_integrations t where t.organization_id = $1 and t.name = $2',
)

/**
 * The operation that creates or updates an integration, with a 409 if another one has the name (contract section 13.2). If two requests
 * race, the unique index refuses the second.
 */
export function withUniqueName(operation: Operation): Operation {
  return {
    ...operation,
    refuses: [...operation.refuses, ['already_exists', 'Another API integration has the `name`.']],
    execute(request, services) {
      const input = bodyOf(request)
      const { id } = request.path
      const change =
        id === undefined ? creating(apiIntegration, input, services) : updating(apiIntegration, id, input, services)
      if (input.name === undefined) return makeChange(change, request, services)
      const holder = Lookup.row(findByName, [input.name])
      const checked: typeof change = {
        ...change,
        needs(needs, ...loaded) {
          change.needs(needs, ...loaded)
          needs.toLoad(holder)
        },
        decide(base, work, write) {
          const step = change.decide(base, work, write)
          const isMissing = step instanceof Refusal && step.status === 404
          const found = work.read(holder)
          if (isMissing || found === null || found.id === id) return step
          return refuse('already_exists', { path: '/name', existingId: found.id })
        },
      }
      return makeChange(checked, request, services)
    },
  }
}
