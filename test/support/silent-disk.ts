import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As many as the threads on which Node.js waits for the disk. */
const threads = 4

/**
 * While the work goes on, no file of this process is opened, read or written: each thread that waits for the disk waits for
 * somebody who opens the other end of a pipe. So it is with the disk of a network that has gone silent.
 */
export async function onASilentDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-silent-'))
  const pipes = Array.from({ length: threads }, (_, index) => join(folder, String(index)))
  execFileSync('mkfifo', pipes)
  const opened = pipes.map(pipe => open(pipe, 'r'))
  // The threads take what they are given in order, so what comes behind these waits.
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
