import type { Crm } from '../../../packages/sdk/src/index.ts'
import type { Random } from '../../support/random.ts'

/** Creates, changes and deletes contacts until there are about so many events. Returns the number of the last event. */
export async function writeEvents(crm: Crm, random: Random, count: number): Promise<number> {
  const known = new Map<string, { id: string; version: number }>()
  let created = 0
  for (let events = 0; events < count; ) {
    const later = known.size === 0 ? [] : random.some([...known.keys()], 50)
    const keys = new Set([...later, ...Array.from({ length: 100 - later.length }, () => `person-${created++}`)])
    const items = Array.from(keys, externalId => ({
      externalId,
      firstName: 'Anna',
      lastName: externalId,
      description: `After ${events} events`,
    }))
    for (const { data } of await crm.contacts.batchUpsert({ items }, { overwrite: true })) {
      if (data === undefined) throw new Error('a row was refused')
      known.set(String(data.externalId), { id: data.id, version: data.version })
    }
    const [[key, { id, version }]] = [random.pick([...known])]
    await crm.contacts.remove(id, { expectedVersion: version, mode: 'full' })
    known.delete(key)
    events += keys.size + 1
  }
  const { cursor } = await crm.changes.cursor()
  const { meta } = await crm.changes.list({ after: cursor }).withResponse()
  return meta.range.toSeq
}
