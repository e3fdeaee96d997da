import { memberRoles } from '../../server/src/kernel/auth/index.ts'
import { permissionsOf } from '../../server/src/people/index.ts'
import { offers } from './cabinet-document.ts'

/** The switches of a new organization. */
const switches = { membersSeeContactData: true, membersSeeAmounts: true, managersManageIntegrations: false }

/** Which role may call which operation of the cabinet: what follows from the permissions that the route needs. */
export const roleRows = offers.map(({ operation, path }) => ({
  operation,
  path,
  roles: memberRoles.filter(role => {
    const permissions = permissionsOf(role, switches)
    return operation.scopes.every(scope => permissions.has(scope))
  }),
}))

/** The rows of `docs/api/roles.txt`. */
export function roleTable(): string[][] {
  const rows = roleRows.map(({ operation: { id }, roles }) => [
    id,
    ...memberRoles.map(role => (roles.includes(role) ? role : '-')),
  ])
  return [['operation', ...memberRoles], ...rows]
}
