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
 * What a change of settings needs, decides and has done to normalise the phone numbers of its organization anew, instead of a run that may
 * be under way; `id` is that of the job. Writes that were decided for another country are decided again, so every record that the job
 * does not find yet has the new one.
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

/** Brings runs back to the queue that are not in it, as in an organization that was brought in from elsewhere. */
const upkeep = defineUpkeep({
  name: 'phone normalizations',
  async run(services, signal) {
    for await (const id of organizationsWithRuns(services.database, signal))
      await queueMissing(normalizationRecord, phoneNormalization, 1, id, services)
    return { removed: {} }
  },
})

/** The phone numbers of an organization whose country has changed. */
export const phoneNumbers: Module = { operations: [], jobs: [phoneNormalization], upkeep: [upkeep] }
