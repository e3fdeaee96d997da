import { randomUUID } from 'node:crypto'
import {
  type Author,
  type Clock,
  changeSettings,
  Refusal,
  type Secret,
  type SettingsChange,
  systemClock,
  unattended,
} from '../kernel/index.ts'
import type { Issue } from '../kernel/schema/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { AdministrationError, missing } from './administration-error.ts'
import { organization } from './organization-record.ts'
import { uuidOf } from './values.ts'

/** Who administers an installation, and what that takes. */
export interface Administration {
  readonly database: Database
  readonly secret: Secret
  /** Whose doing audit entries tell; the system's unless told. */
  readonly author?: Author
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
  { author = bySystem, clock = systemClock, database, secret }: Administration,
  organizationId: string,
  change: SettingsChange<Result>,
  applicationId: string | null = null,
): Promise<Result> {
  const writer = {
    organizationId,
    author,
    applicationId,
    requestId: randomUUID(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: true,
    reader: unattended(organizationId),
  }
  const result = await changeSettings(organization, change, writer, { database, secret, clock })
  if (result instanceof Refusal) throw new AdministrationError(reasonOf(result))
  return result
}

/** The first thing that is wrong, in the words of the declaration. */
function reasonOf({ message, details }: Refusal): string {
  const issues: readonly Issue[] = Array.isArray(details.issues) ? details.issues : []
  return issues[0]?.message ?? message
}
