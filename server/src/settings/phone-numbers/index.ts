import {
  defineUpkeep,
  type Module,
  type Needs,
  organizationsWith,
  queueMissing,
  type SettingsDraft,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { firstRow, lockedNormalization, normalizationRecord } from './normalization.ts'
import { phoneNormalization } from './normalize.ts'

/**
 * The needs, decision and job with which a change of settings normalizes the organization's phone numbers again, replacing a run in
 * progress; `id` is that of the job. Writes that were decided with another country are decided again, so every record that the job does not
 * see has the new country.
 */
export function normalizingAnew() {
  const id = newId()
  return {
    id,
    jobs: [phoneNormalization.request(id)],
    needs(needs: Needs): void {
      needs.toLoad(lockedNormalization)
    },
    decide(draft: SettingsDraft): void {
      draft.endOlder()
      draft.writeBeside(firstRow(id, draft.read(lockedNormalization) !== null, draft.write.now))
    },
  }
}

const organizationsWithRuns = organizationsWith(normalizationRecord.table)

/** Queues runs again that have no job, for example in an organization that was imported from an archive. */
const upkeep = defineUpkeep({
  name: 'phone normalizations',
  async run(services, signal) {
    for await (const id of organizationsWithRuns(services.database, signal))
      await queueMissing(normalizationRecord, phoneNormalization, 1, id, services)
    return { removed: {} }
  },
})

/** Normalizes the phone numbers of an organization whose country has changed. */
export const phoneNumbers: Module = { operations: [], jobs: [phoneNormalization], upkeep: [upkeep] }
