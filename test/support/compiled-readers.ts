import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildReaders } from '../../scripts/build-server.ts'

/**
 * Compiles the programs that read untrusted files into a folder of the test run. Test servers run from the sources, but the child processes
 * that they start for a file run these compiled programs, because compiling the sources takes many times as long as reading a file.
 */
export async function compileReaders(scratch: string): Promise<void> {
  const folder = join(scratch, 'readers')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(scratch, 'readers.cjs'), preloaded(await buildReaders(join(folder, 'dist'))))
}

/** Makes child processes run the compiled program instead of the source of a reader; module hooks would start a thread each time. */
function preloaded(compiled: ReadonlyMap<string, string>): string {
  return `const { Module } = require('node:module')
const compiled = ${JSON.stringify([...compiled])}
const { runMain } = Module
Module.runMain = (main = process.argv[1]) =>
  runMain(compiled.find(([source]) => process.argv[1].endsWith(source))?.[1] ?? main)
`
}
