import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a program to its end, and returns what it printed. */
export async function run(program: string, words: readonly string[], cwd = repository): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { cwd, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** Works in a folder that is removed afterwards. */
export async function withFolder<Made>(work: (folder: string) => Promise<Made>): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-release-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
