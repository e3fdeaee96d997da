import type { DatabaseConnection } from './connection.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** A server holds the lock as long as it runs; a command holds it for a short time. */
export type LockRole = 'server' | 'command'

export type LockState =
  | { name: 'starting' }
  | { name: 'ready'; connection: DatabaseConnection; postmaster: ProcessIdentity }
  | { name: 'stopping' }

/** What the lock file says about the process that holds it. */
export interface Holder extends ProcessIdentity {
  id: string
  role: LockRole
  state: LockState
}

/** Parses the content of the lock file `path`. Throws when this product did not write it. */
export function parseHolder(text: string, path: string): Holder {
  const holder = toHolder(parse(text))
  if (holder) return holder
  throw new Error(`The lock file ${path} is damaged. Remove it when no server and no command uses its data directory.`)
}

function toHolder(value: unknown): Holder | undefined {
  if (!isObject(value)) return undefined
  const { id, role } = value
  const identity = toIdentity(value)
  const state = toState(value['state'])
  if (typeof id !== 'string' || (role !== 'server' && role !== 'command')) return undefined
  return identity && state && { ...identity, id, role, state }
}

function toState(value: unknown): LockState | undefined {
  if (!isObject(value)) return undefined
  const { name } = value
  if (name === 'starting' || name === 'stopping') return { name }
  const connection = toConnection(value['connection'])
  const postmaster = toIdentity(value['postmaster'])
  return name === 'ready' && connection && postmaster ? { name, connection, postmaster } : undefined
}

function toIdentity(value: unknown): ProcessIdentity | undefined {
  if (!isObject(value)) return undefined
  const { pid, started } = value
  return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined
}

function toConnection(value: unknown): DatabaseConnection | undefined {
  if (!isObject(value)) return undefined
  const { host, port, user, database } = value
  if (typeof host !== 'string' || typeof port !== 'number') return undefined
  if (typeof user !== 'string' || typeof database !== 'string') return undefined
  return { host, port, user, database }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
