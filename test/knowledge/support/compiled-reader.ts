import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll } from 'vitest'
import { compiledProgram } from '../../support/compiled.ts'
import { onceInRun } from '../../support/once-in-run.ts'

const reader = 'ai-agents/knowledge-bases/extraction/extraction-process.js'

/**
 * Files are read in processes of their own, which are programs of the product. For tests whose server runs from its sources these
 * are the compiled ones: to compile the sources again for each file takes many times as long as to read it.
 */
export function useCompiledReader(): void {
  beforeAll(async () => {
    const folder = await onceInRun('compiled-reader', async made => {
      const compiled = join(dirname(await compiledProgram()), reader)
      await writeFile(join(made, 'preloaded.cjs'), preloaded(compiled))
    })
    process.execArgv = ['--require', join(folder, 'preloaded.cjs')]
  })
}

/** Has a process run this program instead of the one that it was started for; a hook for modules would start a thread each time. */
function preloaded(program: string): string {
  return `const { Module } = require('node:module')
const { runMain } = Module
Module.runMain = () => runMain(${JSON.stringify(program)})
`
}
