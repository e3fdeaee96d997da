import {
  defineUpkeep,
  ensureJob,
  type JobRequest,
  type Module,
  type Needs,
  organizationsWith,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import type { SettingsDraft } from '../../kernel/write/index.ts'
import { firstRow, lockNormalization, selectUnfinishedNormalization } from './normalization.ts'
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
    jobs: [normalizationRequest(id)],
    needs(needs: Needs): void {
      needs.toLoad([{ name: 'normalization', statement: lockNormalization, values: [] }])
    },
    decide(draft: SettingsDraft): void {
      draft.endOlder()
      draft.writeBeside(firstRow(id, draft.extra('normalization').length > 0, draft.write.now))
    },
  }
}

/** The request to go on with a run. */
function normalizationRequest(id: string): JobRequest & { readonly key: string } {
  return { job: phoneNormalization, payload: { id }, key: id }
}

/** A run that began so long ago should be in the queue. */
const queuedMilliseconds = 60_000

const organizationsWithRuns = organizationsWith('phone_normalizations')

/** Brings runs back to the queue that are not in it, as in an organization that was brought in from elsewhere. */
const upkeep = defineUpkeep({
  name: 'phone normalizations',
  async run({ clock, database }, signal) {
    const before = new Date(clock.now() - queuedMilliseconds).toISOString()
    for await (const organizationId of organizationsWithRuns(database, signal))
      for (const { id } of await database.query(selectUnfinishedNormalization, [organizationId, before]))
        await ensureJob(database, organizationId, normalizationRequest(String(id)))
    return { removed: {} }
  },
})

/** The phone numbers of an organization whose country has changed. */
export const phoneNumbers: Module = { operations: [], jobs: [phoneNormalization], upkeep: [upkeep] }
