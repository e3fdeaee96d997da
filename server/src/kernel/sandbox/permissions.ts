import { fileURLToPath } from 'node:url'
import { packageFolder, programFolder } from '../product/index.ts'

/**
 * Options for Node.js with which a compiled program may read itself, and read and write one folder: no other file, no other process, no
 * thread, no add-on, and from Node.js 25 on no network. None where this Node.js has no such option (before 22.13), and none for a
 * program that runs from its sources, whose compiler needs more.
 */
export function permissionFlags(program: string, folder: string): readonly string[] {
  if (!program.endsWith('.js') || !process.allowedNodeEnvironmentFlags.has('--permission')) return []
  const own = [programFolder, new URL('package.json', packageFolder)].map(url => fileURLToPath(url))
  const readable = [folder, ...own].map(path => `--allow-fs-read=${path}`)
  return ['--permission', `--allow-fs-write=${folder}`, ...readable]
}
