import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As many as the threads with which Node.js accesses the disk. */
const threads = 4

/**
 * While the work runs, this process cannot open, read or write a file: each disk thread blocks on opening a pipe that has no other end. A
 * network disk that stops responding behaves in the same way.
 */
export async function onASilentDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-silent-'))
  const pipes = Array.from({ length: threads }, (_, index) => join(folder, String(index)))
  execFileSync('mkfifo', pipes)
  const opened = pipes.map(pipe => open(pipe, 'r'))
  // The threads take tasks in order, so later tasks wait behind these.
  await new Promise(resolve => setTimeout(resolve, 50))
  try {
    return await work()
  } finally {
    const ends = pipes.map(pipe => openSync(pipe, constants.O_WRONLY))
    for (const file of await Promise.all(opened)) await file.close()
    for (const end of ends) closeSync(end)
    await rm(folder, { recursive: true })
  }
}
