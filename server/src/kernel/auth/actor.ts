import { newId } from '../schema/index.ts'
import type { Reader } from '../sql/index.ts'
import type { Author } from './author.ts'
import type { AddressClass } from './index.ts'

/**
 * For whom a mutation writes: a request of the API, a job, an import, a command or a page of the cabinet. The write
 * path knows nothing else about where a mutation comes from.
 */
export interface Actor {
  readonly organizationId: string
  readonly author: Author
  /** The application whose external keys and idempotency keys are meant; null if there are none. */
  readonly applicationId: string | null
  /**
   * A UUID that connects the answer, the change events and the audit entries: that of a request, or of a part of a job.
   */
  readonly requestId: string
  /** The client's own name for the request, if it differs from `requestId`. */
  readonly clientRequestId: string | null
  /** How the request came in; absent for jobs and commands. */
  readonly origin?: Origin | undefined
  /**
   * Identifies a repetition of the mutation, for which the stored answer is used; null if repetitions are not
   * recognised.
   */
  readonly idempotency: Idempotency | null
  /** Whether the actor may manage custom fields, and so has to fill the required ones (contract section 5). */
  readonly managesCustomFields: boolean
  /** The reader whose share of database connections the mutation uses. */
  readonly reader: Reader
  /** The bytes of the body of a request; absent where there is none. */
  readonly bodyBytes?: number
}

/** How a request came in, for its audit entries and its stored answer. */
export interface Origin {
  /** The id of the operation. */
  readonly operation: string
  readonly tokenId: string
  readonly addressClass: AddressClass
}

/** The `Idempotency-Key` of a mutation, its application, and a hash of everything that was asked. */
export interface Idempotency {
  readonly applicationId: string
  readonly key: string
  readonly fingerprint: Buffer
}

/** What an actor without a request says of itself. */
type ActorFacts = Pick<Actor, 'organizationId' | 'author'> &
  Partial<Pick<Actor, 'applicationId' | 'managesCustomFields'>>

/** Makes the actor of a job, an import, a command or a page: each write has an id of its own, and no key. */
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

/** The reader of a mutation without a client that waits for it. */
export function unattended(organizationId: string): Reader {
  return { organizationId, giveWay: () => Promise.resolve(), whenGone: () => () => {} }
}
