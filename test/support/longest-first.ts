import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The folders with the slowest files, slowest first: they fill a large database, restart a database, or run for a given time. */
const longest = [
  'test/plans/',
  'test/concurrency/reports.test.ts',
  'test/knowledge/',
  'server/src/archive/',
  'test/migrations/',
  'test/model/',
  'test/boundaries/',
  'server/src/tenants/',
  'server/src/retention/',
  'test/isolation/sandboxes.test.ts',
  'test/conformance/import',
]

/** Folders whose tests mostly wait, for a timeout or a lock: if they all ran together the processors would be idle. */
const waiting = new Set([
  'test/concurrency/reports.test.ts',
  'server/src/retention/',
  'test/isolation/sandboxes.test.ts',
])

/**
 * Runs the files of these folders first, so that no worker starts one when the others have finished, and alternates those that wait with
 * those that use the processor. Vitest knows only the times of the last run, and on a clean checkout only file sizes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
    const isWaiting = (file: TestSpecification) => waiting.has(longest[rankOf(file)] ?? '')
    const waits = sorted.filter(isWaiting)
    const works = sorted.filter(file => !isWaiting(file))
    const turns = Math.min(waits.length, works.length)
    const inTurns = waits.slice(0, turns).flatMap((file, turn) => [file, ...works.slice(turn, turn + 1)])
    return [...inTurns, ...waits.slice(turns), ...works.slice(turns)]
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId)
  const place = longest.findIndex(folder => path.startsWith(folder))
  return place < 0 ? longest.length : place
}
