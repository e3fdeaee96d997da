import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskStore, FileLinks, Files, filesOf, sweepFiles } from '../../../server/src/kernel/files/index.ts'
import type { Database } from '../../../server/src/kernel/sql/index.ts'
import { testSecret } from '../../support/database.ts'

/**
 * Removes the files of an organization that no row names, as if all of them were old enough, and gives the keys of those that
 * are left.
 */
export async function sweptFiles(dataDirectory: string, organizationId: string, database: Database): Promise<string[]> {
  const folder = join(dataDirectory, 'files')
  const files = new Files(new DiskStore(folder), new FileLinks(testSecret, undefined))
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of files.store.list(filesOf(organizationId))) found.push(key)
    return found
  }
  const old = new Date(Date.now() - 7_200_000)
  for (const key of await keys()) await utimes(join(folder, key), old, old)
  await sweepFiles({ files, database }, new AbortController().signal)
  return keys()
}
