import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { compiledProgram } from '../support/compiled.ts'

/** The program with migrations that it does not have yet, by their names. */
export interface LaterRelease {
  /** Runs its command `migrate`; resolves to the names of those that it has applied. */
  migrate(databaseUrl: string): Promise<string[]>
  remove(): Promise<void>
}

export async function laterRelease(migrations: Readonly<Record<string, string>>): Promise<LaterRelease> {
  const program = dirname(dirname(await compiledProgram()))
  const folder = `${program}-${randomUUID()}`
  await cp(program, folder, { recursive: true, dereference: true })
  for (const [name, text] of Object.entries(migrations)) await writeFile(join(folder, 'migrations', name), text)
  return {
    async migrate(databaseUrl) {
      const words = [join(folder, 'dist', 'main.js'), 'migrate', '--json']
      const env = { ...process.env, DATABASE_URL: databaseUrl, CRM_SECRET: 'a secret of this test' }
      const { stdout } = await promisify(execFile)(process.execPath, words, { env })
      const { applied }: { applied: string[] } = JSON.parse(stdout)
      return applied
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
