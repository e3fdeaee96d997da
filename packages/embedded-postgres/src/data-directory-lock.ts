import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { type Holder, type LockRole, type LockState, parseHolder } from './lock-holder.ts'
import { identifyProcess, isRunning } from './process-identity.ts'
import { removeMatching } from './remove-matching.ts'

export type { Holder, LockState } from './lock-holder.ts'

export interface DataDirectoryLock {
  /** Records the state of the holder for processes that find this lock. */
  publish(state: LockState): Promise<void>
  release(): Promise<void>
}

/**
 * Takes the lock `file` for this process, or returns the live process that holds it. Never waits.
 *
 * A process takes a free lock by creating the file. It does not delete a stale lock, left by a dead process, because a slower contender
 * could then delete the winner's lock. Instead it creates `<file>.after-<id of the dead holder>`, which only one contender can do. The
 * holder is the last process of that chain, and only if the chain still leads to it after it joined. The winner then moves itself to the
 * head, which removes the dead processes from the chain. Ids are never reused.
 */
export async function tryToLock(
  file: string,
  role: LockRole,
): Promise<{ lock: DataDirectoryLock } | { holder: Holder }> {
  for (;;) {
    const holder = await currentHolder(file)
    if (holder && isRunning(holder)) return { holder }
    const own = describeOwn(role)
    const taken = holder ? await succeed(file, holder, own) : await createExclusively(file, own, file)
    if (taken) {
      // Remove what failed starts have left. A process that is writing a candidate now finds it gone, and tries again.
      await removeMatching(file, '.')
      return { lock: heldLock(file, own) }
    }
  }
}

/** Whether a live process holds the lock. */
export async function isLocked(file: string): Promise<boolean> {
  const holder = await currentHolder(file)
  return holder !== undefined && isRunning(holder)
}

async function currentHolder(file: string): Promise<Holder | undefined> {
  let holder = await readHolder(file)
  for (let next = holder; next; next = await readHolder(afterPath(file, next.id))) holder = next
  return holder
}

async function succeed(file: string, dead: Holder, own: Holder): Promise<boolean> {
  const after = afterPath(file, dead.id)
  if (!(await createExclusively(file, own, after))) return false
  if ((await currentHolder(file))?.id !== own.id) {
    await rm(after, { force: true })
    return false
  }
  await replace(file, own)
  return true
}

/** Creates `path` with its complete content; creates nothing when `path` already exists. */
async function createExclusively(file: string, holder: Holder, path: string): Promise<boolean> {
  const candidate = await writeCandidate(file, holder)
  try {
    await link(candidate, path)
    return true
  } catch (error) {
    // ENOENT: the winner has removed the leftovers, this candidate among them.
    if (error instanceof Error && 'code' in error && ['EEXIST', 'ENOENT'].includes(String(error.code))) return false
    throw error
  } finally {
    await rm(candidate, { force: true })
  }
}

async function replace(file: string, holder: Holder): Promise<void> {
  await rename(await writeCandidate(file, holder), file)
}

async function writeCandidate(file: string, holder: Holder): Promise<string> {
  const candidate = `${file}.candidate-${randomUUID()}`
  const handle = await open(candidate, 'wx')
  try {
    await handle.writeFile(JSON.stringify(holder))
    // Readable whatever the umask is: when root holds the lock of another user's data directory, that user must be able to read it.
    await handle.chmod(0o644)
    await handle.sync()
    return candidate
  } catch (error) {
    await rm(candidate, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

function heldLock(file: string, own: Holder): DataDirectoryLock {
  return {
    publish: state => replace(file, { ...own, state }),
    release: () => rm(file, { force: true }),
  }
}

function describeOwn(role: LockRole): Holder {
  const identity = identifyProcess(process.pid)
  if (!identity) throw new Error('This process does not find itself in the list of processes')
  return { ...identity, id: randomUUID(), role, state: { name: 'starting' } }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : parseHolder(text, path)
}

const afterPath = (file: string, id: string): string => `${file}.after-${id}`
