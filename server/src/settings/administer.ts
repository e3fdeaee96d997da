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

/** Who administers an installation, and what that takes. */
export interface Administration {
  readonly database: Database
  readonly secret: Secret
  /** Whose doing audit entries tell; the system's unless told. */
  readonly author?: Author
  /** What the author may change; everything unless told, as the operator of the installation may. */
  readonly as?: By
  readonly clock?: Clock
  /** The scopes that `all` stands for; every scope of the specification unless told. */
  readonly grantableScopes?: readonly string[]
}

const bySystem: Author = { type: 'system', uuid: null, jobId: null }

/**
 * Changes the settings of an organization, all that the change decides or nothing. `applicationId` is the application whose
 * keys are meant. Throws an `AdministrationError` for an unknown organization and for what is refused.
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

/** `administer`, for an organization that there may not be yet. */
export async function place<Result>(
  administration: Administration,
  organizationId: string,
  change: SettingsChange<Result>,
  applicationId: string | null = null,
): Promise<Result> {
  const { clock = systemClock, database, secret } = administration
  const actor = administrationActor(administration, organizationId, applicationId)
  const result = await changeSettings(organization, change, actor, { database, secret, clock })
  if (result instanceof Refusal) throw new AdministrationError(reasonOf(result))
  return result
}

/** For whom administration writes. */
export function administrationActor(
  { author = bySystem }: Administration,
  organizationId: string,
  applicationId: string | null = null,
): Actor {
  return Actor.of({ organizationId, author, applicationId, managesCustomFields: true })
}

/** The first thing that is wrong, in the words of the declaration. */
function reasonOf({ message, details }: Refusal): string {
  const issues: readonly Issue[] = Array.isArray(details.issues) ? details.issues : []
  return issues[0]?.message ?? message
}
