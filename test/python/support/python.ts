import { join } from 'node:path'
import { root } from '../../support/compiled.ts'
import { type Environment, Program } from '../../support/process.ts'

const installed = join(root, 'packages', 'python', '.venv', 'bin', 'python')

/** Runs a program with the client from its sources to its end, and parses what it printed. Throws what it complained about. */
export async function runPython(file: string, environment: Environment, ...words: readonly string[]): Promise<unknown> {
  const program = new Program([installed, join(root, file), ...words], {
    PYTHONPATH: join(root, 'packages', 'python', 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...environment,
  })
  const { status, out, err } = await program.ended
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${err}`)
  return JSON.parse(out)
}
