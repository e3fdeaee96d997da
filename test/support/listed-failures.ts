import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { ErrorCode } from '../../server/src/kernel/errors/index.ts'

/** The variable that names the file with the failures that tests have received, one per line. */
export const answeredFailures = 'ANSWERED_FAILURES'

/** Codes of gates that all operations share. The tests of such a gate cover some operations only. */
const shared: readonly ErrorCode[] = [
  'invalid_token',
  'idempotency_in_progress',
  'payload_too_large',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

/**
 * Checks after a run of all tests that each failure which the OpenAPI document lists for an operation has occurred. So the document lists
 * no impossible failure; the test client ensures that it lists all possible ones.
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
  // An error alone is shown at the end of the run, but does not fail it.
  process.exitCode = 1
  throw new Error(`The document lists failures that no test was answered:\n${unseen.join('\n')}`)
}

/** The product is loaded only here: most runs cover a few files and do not need it in this process. */
async function listedFailures(): Promise<string[]> {
  const { failuresOf } = await import('../../server/src/kernel/openapi/index.ts')
  const { operations } = await import('../../server/src/modules.ts')
  return operations.flatMap(operation =>
    [...failuresOf(operation)].flatMap(([status, codes]) =>
      codes.filter(code => !shared.includes(code)).map(code => `${operation.id} ${status} ${code}`),
    ),
  )
}
