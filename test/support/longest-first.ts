import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where files take longest, longest first: they fill a large database, start a database again and again, or work for a given time. */
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

/** Those that mostly wait, for a limit of time or for a lock: side by side they would leave the processors idle. */
const waiting = new Set([
  'test/concurrency/reports.test.ts',
  'server/src/retention/',
  'test/isolation/sandboxes.test.ts',
])

/**
 * Runs the files of these folders first, so that no worker comes to one of them when the others have nothing left, and those that
 * wait in turns with those that work. Vitest knows the times of the last run alone, and on a clean checkout nothing but the sizes
 * of files.
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
