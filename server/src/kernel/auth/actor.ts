import { newId } from '../schema/index.ts'
import type { Reader } from '../sql/index.ts'
import type { Author } from './author.ts'
import type { EntryName } from './caller.ts'
import type { AddressClass } from './index.ts'

/**
 * Who performs a mutation: a request of the API, a job, an import, a command or a page of the cabinet. The write path knows nothing else
 * about the origin of a mutation.
 */
export interface Actor {
  readonly organizationId: string
  readonly author: Author
  /** The application whose external keys and idempotency keys are used; null if there is none. */
  readonly applicationId: string | null
  /** A UUID that connects the answer, the change events and the audit entries: the id of a request, or of a part of a job. */
  readonly requestId: string
  /** The client's own name for the request, if it differs from `requestId`. */
  readonly clientRequestId: string | null
  /** How the request came in; absent for jobs and commands. */
  readonly origin?: Origin | undefined
  /** Identifies a retry of the mutation, which gets the stored answer; null if retries are not recognised. */
  readonly idempotency: Idempotency | null
  /** Whether the actor may manage custom fields, and therefore must fill the required ones (contract section 5). */
  readonly managesCustomFields: boolean
  /** The reader whose share of the database connections the mutation uses. */
  readonly reader: Reader
  /** The size of the request body in bytes; absent where there is no body. */
  readonly bodyBytes?: number
}

/** How a request arrived, for its audit entries and its stored answer. */
export interface Origin {
  /** The id of the operation. */
  readonly operation: string
  readonly entry: EntryName
  /** null for a request without a token: one of a user. */
  readonly tokenId: string | null
  readonly addressClass: AddressClass
}

/** The `Idempotency-Key` of a mutation with its prefix, its application, and a hash of the whole request. */
export interface Idempotency {
  readonly applicationId: string
  readonly key: string
  readonly fingerprint: Buffer
}

/** The facts that an actor without a request supplies. */
type ActorFacts = Pick<Actor, 'organizationId' | 'author'> &
  Partial<Pick<Actor, 'applicationId' | 'managesCustomFields'>>

/** Makes the actor of a job, an import, a command or a page: each write gets its own id, and no idempotency key. */
export const Actor = {
  of({ organizationId, author, applicationId = null, managesCustomFields = false }: ActorFacts): Actor {
    return {
      organizationId,
      author,
      applicationId,
      requestId: newId(),
      clientRequestId: null,
      idempotency: null,
      managesCustomFields,
      reader: unattended(organizationId),
    }
  },
}

/** The reader of a mutation for which no client is waiting. */
export function unattended(organizationId: string): Reader {
  return { organizationId, giveWay: () => Promise.resolve(), whenGone: () => () => {} }
}
