import { createRequire } from 'node:module'

/**
 * The library of the job queue. On loading, it searches the working directory for settings, and fails if the user may not read it. So it is
 * loaded from a folder without settings.
 */
export async function queueLibrary() {
  const folder = process.cwd()
  process.chdir('/')
  try {
    // Loaded synchronously, so that no other code runs while the working directory is this folder.
    createRequire(import.meta.url)('graphile-worker')
  } finally {
    returnTo(folder)
  }
  return import('graphile-worker')
}

/** A process cannot return to a folder that its user may not read. It needs nothing from there. */
function returnTo(folder: string): void {
  try {
    process.chdir(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error
  }
}
