import {
  Actor,
  type Author,
  type Clock,
  changeSettings,
  Refusal,
  type Secret,
  type SettingsChange,
  systemClock,
} from '../kernel/index.ts'
import type { By, Issue } from '../kernel/schema/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { AdministrationError, missing } from './administration-error.ts'
import { organization } from './organization.ts'
import { uuidOf } from './values.ts'

/** The actor of an administrative change, and the services that it needs. */
export interface Administration {
  readonly database: Database
  readonly secret: Secret
  /** The author in audit entries; the system by default. */
  readonly author?: Author
  /** What the author may change; by default everything, as for the operator of the installation. */
  readonly as?: By
  readonly clock?: Clock
  /** The request that asked for the change; absent for commands. */
  readonly request?: Pick<Actor, 'requestId' | 'clientRequestId' | 'origin' | 'reader'>
  /** The scopes that `all` stands for; by default every scope of the specification. */
  readonly grantableScopes?: readonly string[]
}

const bySystem: Author = { type: 'system', uuid: null, jobId: null }

/**
 * Changes the settings of an organization in one transaction. `applicationId` is the application whose external keys apply. Throws an
 * `AdministrationError` for an unknown organization and for a refused change.
 */
export async function administer<Result>(
  administration: Administration,
  organizationId: string,
  change: SettingsChange<Result>,
  applicationId: string | null = null,
): Promise<Result> {
  const known: SettingsChange<Result> = {
    ...change,
    decide(draft) {
      return draft.organization === null ? missing('organization', organizationId) : change.decide(draft)
    },
  }
  return place(administration, uuidOf('organization', organizationId), known, applicationId)
}

/** Like `administer`, for an organization that may not exist yet. */
export async function place<Result>(
  administration: Administration,
  organizationId: string,
  change: SettingsChange<Result>,
  applicationId: string | null = null,
): Promise<Result> {
  const { clock = systemClock, database, secret } = administration
  const actor = administrationActor(administration, organizationId, applicationId)
  const result = await changeSettings(organization, change, actor, { database, secret, clock })
  if (result instanceof Refusal) throw new AdministrationError(reasonOf(result), result)
  return result
}

/** The actor of administrative writes. */
export function administrationActor(
  { author = bySystem, request }: Administration,
  organizationId: string,
  applicationId: string | null = null,
): Actor {
  return { ...Actor.of({ organizationId, author, applicationId, managesCustomFields: true }), ...request }
}

/** The first error, in the wording of the declaration. */
function reasonOf({ message, details }: Refusal): string {
  const issues: readonly Issue[] = Array.isArray(details.issues) ? details.issues : []
  return issues[0]?.message ?? message
}
