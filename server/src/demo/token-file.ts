import { randomUUID } from 'node:crypto'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseToken } from '../kernel/auth/index.ts'

const pathOf = (dataDirectory: string) => join(dataDirectory, 'demo-token')

/** The token of the demo organization; null if the data directory has none, or the file has no token. */
export async function demoToken(dataDirectory: string): Promise<string | null> {
  const text = await readFile(pathOf(dataDirectory), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  const token = text.trim()
  return parseToken(token) === null ? null : token
}

/**
 * Writes the token so that only the owner of the data directory can read it. The write is atomic: a reader finds the whole text or no file.
 */
export async function writeDemoToken(dataDirectory: string, token: string): Promise<void> {
  const draft = `${pathOf(dataDirectory)}.${randomUUID()}`
  try {
    await writeFile(draft, `${token}\n`, { mode: 0o600 })
    await chmod(draft, 0o600)
    await rename(draft, pathOf(dataDirectory))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
