import type { Role } from '../api/index.ts'
import type { Text } from '../words/index.ts'

/** What roles are called. */
export const roleNames: Readonly<Record<Role, Text>> = {
  owner: 'Owner',
  manager: 'Manager',
  member: 'Member',
  read_only: 'Read-only',
}
