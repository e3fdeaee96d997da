import { randomUUID } from 'node:crypto'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseToken } from '../kernel/auth/index.ts'

const pathOf = (dataDirectory: string) => join(dataDirectory, 'demo-token')

/** The demo organization's token; null when the data directory has none, or something that is no token. */
export async function demoToken(dataDirectory: string): Promise<string | null> {
  const text = await readFile(pathOf(dataDirectory), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  const token = text.trim()
  return parseToken(token) === null ? null : token
}

/** Keeps the token for the owner of the data directory alone; a reader finds the whole text or none. */
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
