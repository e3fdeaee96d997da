import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { ErrorCode } from '../../server/src/kernel/errors/index.ts'

/** The variable that names the file in which the failures that tests were answered stand, one in a line. */
export const answeredFailures = 'ANSWERED_FAILURES'

/** Codes of gates that all operations share. The tests of such a gate try it on some operations only. */
const shared: readonly ErrorCode[] = [
  'invalid_token',
  'idempotency_in_progress',
  'payload_too_large',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

/**
 * After a run of all tests: each failure that the OpenAPI document lists for an operation was answered by it. So the
 * document lists none that cannot happen, as the test client sees to it that it lists all that do.
 */
export default function setup(project: TestProject): () => Promise<void> {
  const file = join(project.getProvidedContext().scratch, 'answered-failures')
  process.env[answeredFailures] = file
  return () => expectListedFailuresAnswered(project, file)
}

async function expectListedFailuresAnswered(project: TestProject, file: string): Promise<void> {
  const { testFiles } = await project.globTestFiles()
  const files = project.vitest.state.getFiles().filter(({ projectName }) => projectName === project.name)
  if (files.length < testFiles.length || files.some(({ result }) => result?.state !== 'pass')) return
  const answered = new Set((await readFile(file, 'utf8')).split('\n'))
  const unseen = (await listedFailures()).filter(failure => !answered.has(failure))
  if (unseen.length === 0) return
  // An error alone is shown when the run closes, but does not fail it.
  process.exitCode = 1
  throw new Error(`The document lists failures that no test was answered:\n${unseen.join('\n')}`)
}

/** The product is loaded only here: most runs are of a few files, and need none of it in this process. */
async function listedFailures(): Promise<string[]> {
  const { failuresOf } = await import('../../server/src/kernel/openapi/index.ts')
  const { operations } = await import('../../server/src/modules.ts')
  return operations.flatMap(operation =>
    [...failuresOf(operation)].flatMap(([status, codes]) =>
      codes.filter(code => !shared.includes(code)).map(code => `${operation.id} ${status} ${code}`),
    ),
  )
}
