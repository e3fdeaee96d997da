import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Location } from './location.ts'
import { commandLineOf, identifyProcess, type ProcessIdentity } from './process-identity.ts'

/** A command line: the program, then its arguments. */
export type Command = readonly [program: string, ...programArguments: string[]]

/**
 * Starts the server process. It has a session of its own, so that Ctrl-C reaches the product first, and does not keep Node alive. Starts a
 * new log and keeps the previous one beside it.
 */
export async function launchPostmaster(
  { log, account }: Location,
  [program, ...programArguments]: Command,
): Promise<{ identity: ProcessIdentity; ended: Promise<unknown> } | undefined> {
  await rename(log, `${log}.1`).catch(() => {})
  const output = openSync(log, 'ax', 0o600)
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC' }
    const child = spawn(program, programArguments, {
      ...account,
      cwd: '/',
      detached: true,
      env,
      stdio: ['ignore', output, output],
    })
    const ended = once(child, 'exit').catch(() => {})
    await once(child, 'spawn')
    child.unref()
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid)
    return identity && { identity, ended }
  } finally {
    closeSync(output)
  }
}

/** The server process of this cluster, left running by an owner that died. */
export async function findPostmaster(
  cluster: string,
): Promise<{ identity: ProcessIdentity; commandLine: string } | undefined> {
  const path = join(cluster, 'postmaster.pid')
  const text = await readFile(path, 'utf8').catch(() => '')
  const identity = identifyProcess(Number.parseInt(text, 10))
  const commandLine = identity && commandLineOf(identity.pid)
  if (!identity || commandLine === undefined) return undefined
  if (commandLine.includes(` -D ${cluster} `)) return { identity, commandLine }
  // PostgreSQL takes any process with that number for a running server. If the number was reused, as in a restarted container, PostgreSQL
  // would not start.
  if (!/(^|\/)postgres( |$)/.test(commandLine)) await rm(path, { force: true })
  return undefined
}
