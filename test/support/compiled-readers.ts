import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildReaders } from '../../scripts/build-server.ts'

/**
 * Compiles the programs that read files of strangers into a folder of the run. Servers of tests run from their sources; a process that
 * they start for a file runs what was compiled here, because to compile the sources takes many times as long as to read a file.
 */
export async function compileReaders(scratch: string): Promise<void> {
  const folder = join(scratch, 'readers')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(scratch, 'readers.cjs'), preloaded(await buildReaders(join(folder, 'dist'))))
}

/** Has a process that was started for the source of a reader run the compiled one; a hook for modules would start a thread each time. */
function preloaded(compiled: ReadonlyMap<string, string>): string {
  return `const { Module } = require('node:module')
const compiled = ${JSON.stringify([...compiled])}
const { runMain } = Module
Module.runMain = (main = process.argv[1]) =>
  runMain(compiled.find(([source]) => process.argv[1].endsWith(source))?.[1] ?? main)
`
}
