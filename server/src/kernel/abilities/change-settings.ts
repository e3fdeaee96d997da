import type { Actor } from '../auth/actor.ts'
import { nothingConfigured, raiseGeneration } from '../configuration/index.ts'
import { Refusal } from '../errors/index.ts'
import type { JobRequest } from '../jobs/index.ts'
import type { Mutation, Swept, WriteServices } from '../mutation/index.ts'
import type { Resource } from '../record/index.ts'
import type { Transaction } from '../sql/index.ts'
import type { Needs } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { mutate } from '../write.ts'
import { SettingsDraft } from './settings-draft.ts'

/** A change of the settings of one organization, made as a whole or not at all. */
export interface SettingsChange<Result> {
  /** The settings that it reads or changes, as in `Mutation.needs`; the organization is always needed. */
  needs?(needs: Needs, work: WorkingSet): void
  /** Pure: records the changes in the draft. */
  decide(draft: SettingsDraft): Result | Refusal
  /** Jobs to run after the commit. */
  readonly jobs?: readonly JobRequest[]
  /** Statements that run before the save, in the same transaction. */
  sweep?(transaction: Transaction): Promise<void>
}

const configurations = {
  known: () => nothingConfigured,
  recent: async () => nothingConfigured,
  fresh: async () => nothingConfigured,
}

/**
 * Changes the settings of the actor's organization in one version step of the organization, whose version covers its whole configuration.
 * The lock of the organization serializes such changes. Concurrent writes notice the new version.
 *
 * Resolves to the result of `decide`, or to a refusal, in which case nothing was changed; throws like `mutate`.
 */
export async function changeSettings<Result>(
  organization: Resource,
  change: SettingsChange<Result>,
  actor: Actor,
  services: Omit<WriteServices, 'configurations' | 'resources'>,
): Promise<Result | Refusal> {
  const id = actor.organizationId
  const mutation: Mutation<Result> = {
    runsAlone: 'settings',
    needs(needs, work) {
      needs.toChange(organization, { id })
      change.needs?.(needs, work)
    },
    decide(work, write) {
      const draft = new SettingsDraft(organization, work, write)
      const result = change.decide(draft)
      if (result instanceof Refusal) return result
      const sweep = async (transaction: Transaction): Promise<Swept> => {
        await change.sweep?.(transaction)
        // As late as possible: the installation has a single such row, and it is locked from here on.
        await transaction.query(raiseGeneration, [])
        return {}
      }
      const isChanged = draft.finish()
      const { jobs = [] } = change
      const { rows } = draft
      return { result, rows, jobs, ...(isChanged || rows.length > 0 ? { sweep } : {}) }
    },
  }
  return mutate(mutation, actor, { ...services, configurations, resources: [organization] })
}
