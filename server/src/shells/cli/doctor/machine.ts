import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDataDirectory } from '@crm-server/embedded-postgres'
import type { Config } from '../../../config.ts'

const oldestNode = [20, 19] as const

export function examineNode(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`Node.js ${oldestNode.join('.')} or later is needed, this is ${version}`)
  }
  return version
}

export async function examineDataDirectory(dataDirectory: string): Promise<string> {
  // Trying is the only answer that read-only file systems and full disks do not falsify.
  const probe = join(dataDirectory, `doctor-${randomUUID()}`)
  await createDataDirectory(dataDirectory)
  await writeFile(probe, 'writable')
  await rm(probe)
  return `${dataDirectory} is writable`
}

/** The data directory gets a secret when the installation is opened, so it is looked for after that. */
export async function examineSecret({ secret, dataDirectory }: Config): Promise<string> {
  if (secret !== undefined) return 'CRM_SECRET is set'
  const file = join(dataDirectory, 'secret')
  const kept = await readFile(file, 'utf8')
  if (kept.trim() === '') throw new Error(`${file} is empty`)
  return `kept in ${file}`
}
