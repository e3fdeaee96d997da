import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const elsewhere = 'set CRM_DATA_DIR to a folder'

/**
 * Runs `use`, which works in `folder`. If it fails because the folder is full, read-only, not accessible or not a folder, throws an error
 * that tells the operator what is wrong and what to do. Passes other errors through.
 */
export async function explainingFolder<Result>(folder: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (error) {
    const reason = await reasonOf(error, folder)
    throw reason === undefined ? error : new Error(reason, { cause: error })
  }
}

/** Whether a message of PostgreSQL says that the disk is full. */
export const saysDiskFull = (text: string): boolean => /no space left on device|disk quota exceeded/iu.test(text)

export const diskFullReason = (folder: string): string => `The disk of ${folder} is full: make room there.`

async function reasonOf(error: unknown, folder: string): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT' || saysDiskFull(error.message))
    return `${diskFullReason(folder)} A first start takes 150 MB; you can also ${elsewhere} on another disk.`
  // The code that mkdir gives on a file system it may not write to, when it has to create parent folders as well.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir')
    return reasonOf(await refusalAbove(folder), folder)
  if (code === 'EROFS')
    return `${folder} is on a file system that is read-only. Mount it writable, or ${elsewhere} elsewhere.`
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `${folder} is not a folder, or leads through a file. Remove that file, or ${elsewhere}.`
  if (code === 'EACCES' || code === 'EPERM') return closedReason('path' in error ? String(error.path) : folder)
  return undefined
}

/** Why this user may not write to the nearest parent folder that exists; undefined if the user may. */
async function refusalAbove(folder: string): Promise<unknown> {
  const parent = dirname(folder)
  if (!(await stat(parent).catch(() => undefined))) return refusalAbove(parent)
  return access(parent, constants.W_OK).catch((error: unknown) => error)
}

/** Names the file or folder that this user may not use, or the parent folder that hides it. */
async function closedReason(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return closedReason(dirname(path))
  const own = process.getuid?.()
  if (found.uid !== own) {
    return (
      `${path} belongs to the user with id ${found.uid}, and this program runs as the one with id ${own}, who may not use it. ` +
      `Start it as that user, give it to this one with chown, or ${elsewhere} of your own.`
    )
  }
  return `${path} belongs to this user, but is closed to it. Run "chmod u+rwX '${path}'", or ${elsewhere} elsewhere.`
}
