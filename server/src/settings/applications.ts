import { Refusal } from '../kernel/index.ts'
import { type Administration, administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { application } from './application-record.ts'
import { uuidOf } from './values.ts'

export interface NewApplication {
  readonly organizationId: string
  readonly name: string
  /** Requests per minute. */
  readonly rateRead?: number | undefined
  readonly rateWrite?: number | undefined
}

/** Creates an application. Throws an `AdministrationError` for an unknown organization or a value that is not valid. */
export async function createApplication(
  administration: Administration,
  { organizationId, ...input }: NewApplication,
): Promise<{ id: string }> {
  return administer(administration, organizationId, {
    decide(draft) {
      const created = draft.add(application, input)
      return created instanceof Refusal ? created : { id: created.id }
    },
  })
}

export interface ApplicationChange {
  readonly organizationId: string
  readonly applicationId: string
  readonly rateRead?: number | undefined
  readonly rateWrite?: number | undefined
  /** A disabled application's tokens are refused. */
  readonly enabled?: boolean | undefined
}

/** Changes what is given. Throws an `AdministrationError` for an unknown application or a rate that is not valid. */
export async function setApplication(
  administration: Administration,
  { organizationId, applicationId, ...change }: ApplicationChange,
): Promise<{ id: string }> {
  const id = uuidOf('application', applicationId)
  return administer(administration, organizationId, {
    needs: needs => needs.toLoadNested(application, id),
    decide(draft) {
      const before = draft.record(application, id)
      if (before === null) return missing('application', applicationId)
      const changed = draft.alter(application, before, change)
      return changed instanceof Refusal ? changed : { id }
    },
  })
}
