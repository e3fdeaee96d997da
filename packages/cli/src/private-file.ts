import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandFailure } from './failure.ts'

/** Writes a file of the program, for the user alone, in a folder of the user alone. Another process reads all of the former or of this one. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  await replaceFile(file, text)
}

/**
 * Writes a file that only its owner can read, in a folder that is there; behind a symbolic link, the file that it names. Another process
 * reads all of the former or of this one. Throws CommandFailure for what is no file, such as a device or a pipe: it would be gone.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const found = await unlessMissing(stat(file))
  if (found?.isFile() === false) throw new CommandFailure(`${file} is no regular file, and is not replaced`)
  const named = (await unlessMissing(realpath(file))) ?? file
  const written = `${named}.${randomUUID()}`
  try {
    const handle = await open(written, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(written, named)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}

/** Undefined if there is no such file. */
export async function unlessMissing<Result>(attempt: Promise<Result>): Promise<Result | undefined> {
  try {
    return await attempt
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
