import type { SignedIn } from '../../../kernel/auth/index.ts'
import type { Caller, Operation } from '../../../kernel/index.ts'

/** How many requests of each kind a user may send in a minute: twice those of an application, because a page sends several. */
const rates = { read: 1200, write: 240 }

/** The rate limits of a user, at all routes of the cabinet together. */
export function rateOf({ id }: Pick<SignedIn['user'], 'id'>): Caller['rate'] {
  return { owner: id, ...rates }
}

/** The limit that a request counts against. */
export function bucketOf({ method }: Pick<Operation, 'method'>): 'read' | 'write' {
  return method === 'GET' ? 'read' : 'write'
}
