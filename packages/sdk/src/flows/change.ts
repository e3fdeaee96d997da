import type { Answer } from '../core/answer.ts'
import { VersionConflict } from '../core/errors.ts'
import type { ReadOptions, WriteOptions } from '../core/options.ts'

/** How often a change is tried before its conflict is thrown. */
const attempts = 5

/** The methods of a kind of records that it needs. */
export interface VersionedWrites<Stored extends { readonly version: number }, Patch, Written> {
  get(id: string, options?: ReadOptions): Answer<Stored>
  update(id: string, body: Patch & { expectedVersion: number }, options?: WriteOptions): Answer<Written>
}

/**
 * Changes a record by what it has now: reads it, asks for the fields to change, and sends them with the version that was read. If somebody
 * else has changed it in between, it begins again, five times in all.
 *
 * @param toPatch what to change; it is asked anew for each attempt. `null` if there is nothing to change.
 * @param options of each of its calls.
 * @returns the record after the change, or as it was read.
 * @throws VersionConflict if the fifth attempt meets a conflict too.
 */
export async function change<Stored extends { readonly version: number }, Patch extends object, Written>(
  methods: VersionedWrites<Stored, Patch, Written>,
  id: string,
  toPatch: (record: Stored) => Patch | null | Promise<Patch | null>,
  options: ReadOptions = {},
): Promise<Stored | Written> {
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted()
    const record = await methods.get(id, options)
    const patch = await toPatch(record)
    if (patch === null) return record
    try {
      return await methods.update(id, { ...patch, expectedVersion: record.version }, options)
    } catch (error) {
      if (!VersionConflict.is(error) || attempt === attempts) throw error
    }
  }
}
