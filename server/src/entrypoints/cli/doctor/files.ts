import { fileKey, filesWithoutRow, rowsWithoutFile, S3Store } from '../../../kernel/files/index.ts'
import type { Config } from '../../../start/config.ts'
import { createFiles } from '../../../start/create-files.ts'
import type { Installation } from '../../../start/installation.ts'
import { type Check, check } from './check.ts'

/** How many keys a message names. */
const named = 10

/** Checks that files can be stored, read and removed in the bucket, if there is one. */
export async function examineBucket({ s3 }: Config): Promise<Check[]> {
  if (s3 === undefined) return []
  const examined = await check('s3', async () => {
    await new S3Store(s3).check()
    return `the bucket ${s3.bucket} takes files, and gives them back`
  })
  return [examined]
}

/** Compares the store with the rows of files. This takes one look-up per file. */
export async function examineFiles({ config, database, secret }: Installation): Promise<Check[]> {
  const services = { database, files: createFiles(config, secret) }
  const recorded = await check('recorded files', async () => {
    let count = 0
    const lost = new Found()
    const looked = (rows: number) => {
      count += rows
    }
    for await (const { key, fault } of rowsWithoutFile(services, looked)) lost.add(`${key} (${fault})`)
    if (lost.count > 0)
      throw new Error(`${lost.count} of ${count} are not as recorded: ${lost.named}. Restore them from a backup`)
    return `${count}, each with its bytes`
  })
  const stored = await check('files without a row', async () => {
    const found = new Found()
    for await (const file of filesWithoutRow(services, Date.now())) found.add(fileKey(file))
    if (found.count > 0) throw new Error(`${found.count}: ${found.named}. \`maintenance run\` removes them`)
    return 'none'
  })
  return [recorded, stored]
}

/** Counts keys, and names the first ones. */
class Found {
  count = 0
  readonly #first: string[] = []

  add(key: string): void {
    this.count += 1
    if (this.#first.length < named) this.#first.push(key)
  }

  /** The first keys, as a list. */
  get named(): string {
    return `${this.#first.join(', ')}${this.count > named ? ', …' : ''}`
  }
}
