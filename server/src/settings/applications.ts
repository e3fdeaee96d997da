import { Refusal } from '../kernel/index.ts'
import { type Administration, administer } from './administer.ts'
import { application } from './application-record.ts'
import { changeSetting } from './change-setting.ts'

export interface NewApplication {
  readonly organizationId: string
  /** Different from those of other applications that are enabled. */
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
    needs: needs => needs.toLoadNestedIn(application, organizationId),
    decide(draft) {
      const created = draft.add(application, input)
      return created instanceof Refusal ? created : { id: created.id }
    },
  })
}

export interface ApplicationChange {
  readonly organizationId: string
  readonly applicationId: string
  readonly name?: string | undefined
  readonly rateRead?: number | undefined
  readonly rateWrite?: number | undefined
  /** A disabled application's tokens are refused. */
  readonly enabled?: boolean | undefined
}

/** Changes what is given. Throws an `AdministrationError` for an unknown application a name that is taken, or a value that is not valid. */
export async function setApplication(
  administration: Administration,
  { organizationId, applicationId, ...change }: ApplicationChange,
): Promise<{ id: string }> {
  return changeSetting(administration, { organizationId, kind: application, id: applicationId }, (draft, before) => {
    const changed = draft.alter(application, before, change)
    return changed instanceof Refusal ? changed : { id: before.id }
  })
}
