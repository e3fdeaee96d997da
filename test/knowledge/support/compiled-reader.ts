import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll } from 'vitest'
import { compiledProgram } from '../../support/compiled.ts'

const reader = 'ai-agents/knowledge-bases/extraction/extraction-process'

/**
 * Files are read in processes of their own, which are programs of the product. For tests whose server runs from its sources these
 * are the compiled ones: to compile the sources again for each file takes many times as long as to read it.
 */
export function useCompiledReader(): void {
  beforeAll(async () => {
    const compiled = pathToFileURL(join(dirname(await compiledProgram()), `${reader}.js`)).href
    const resolve = `export const resolve = (name, context, next) =>
      name.endsWith('/${reader}.ts') ? { url: '${compiled}', shortCircuit: true } : next(name, context)`
    const preloaded = `import { register } from 'node:module'; register(${JSON.stringify(moduleOf(resolve))})`
    process.execArgv = ['--import', moduleOf(preloaded)]
  })
}

/** The address of a module that consists of this text. */
function moduleOf(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`
}
