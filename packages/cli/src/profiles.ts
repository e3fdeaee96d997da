import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailure, UsageError } from './failure.ts'
import { isObject } from './json.ts'
import { unlessMissing, writePrivateFile } from './private-file.ts'
import type { Shell } from './shell.ts'

/** A server, and the token of an application there. */
export interface Profile {
  readonly url: string
  readonly token: string
}

export const defaultProfile = 'default'

/** The file of a profile. Throws UsageError for a name that could be a path. */
export function profileFile(shell: Shell, name: string): string {
  if (!/^[\w-]{1,64}$/u.test(name))
    throw new UsageError('the name of a profile has 1 to 64 letters, digits, hyphens and underscores')
  return join(configurationFolder(shell), `${name}.json`)
}

/** Where the program keeps what it remembers. */
export function configurationFolder({ environment, home }: Shell): string {
  // A relative path is to be ignored, by the specification of these variables.
  const configured = environment['XDG_CONFIG_HOME']
  const base = configured?.startsWith('/') ? configured : join(home, '.config')
  return join(base, 'crm')
}

/** Reads a profile. Undefined if there is none. Throws CommandFailure for a file that others can read, or that is no profile. */
export async function readProfile(file: string): Promise<Profile | undefined> {
  const found = await unlessMissing(stat(file))
  if (found === undefined) return undefined
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new CommandFailure(
      `others can read ${file}: run chmod 600 on it, and think of the token in it as known to them`,
    )
  const profile = parsed(await readFile(file, 'utf8'))
  if (profile === undefined) throw new CommandFailure(`${file} is no profile: crm login writes it anew`)
  return profile
}

/** Writes a profile for the user alone. */
export function writeProfile(file: string, profile: Profile): Promise<void> {
  return writePrivateFile(file, `${JSON.stringify(profile)}\n`)
}

/** Removes a profile. Resolves to whether there was one. */
export async function removeProfile(file: string): Promise<boolean> {
  return (await unlessMissing(rm(file).then(() => true))) ?? false
}

function parsed(text: string): Profile | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return undefined
    const { url, token } = value
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined
  } catch {
    return undefined
  }
}
