import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPrograms, readers } from '../../scripts/build-server.ts'
import { root } from './compiled.ts'

/**
 * Compiles the programs that read files of strangers into a folder of the run. Servers of tests run from their sources; a process that
 * they start for a file runs what was compiled here, because to compile the sources takes many times as long as to read a file.
 * Resolves to the function that removes it.
 */
export async function compileReaders(scratch: string): Promise<() => Promise<void>> {
  // Packages are looked for in the folders above.
  const folder = join(root, 'node_modules', '.cache', 'crm-readers', String(process.pid))
  await mkdir(folder, { recursive: true })
  await buildPrograms(folder, readers)
  await writeFile(join(scratch, 'readers.cjs'), preloaded(folder))
  return () => rm(folder, { recursive: true, force: true })
}

/** Has a process that was started for the source of a reader run the compiled one; a hook for modules would start a thread each time. */
function preloaded(folder: string): string {
  const compiled = Object.fromEntries(readers.map(reader => [reader, join(folder, reader.replace(/ts$/u, 'js'))]))
  return `const { Module } = require('node:module')
const compiled = Object.entries(${JSON.stringify(compiled)})
const { runMain } = Module
Module.runMain = (main = process.argv[1]) =>
  runMain(compiled.find(([source]) => process.argv[1].endsWith(source))?.[1] ?? main)
`
}
