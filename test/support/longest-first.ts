import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where files take longest, longest first: they fill a large database, start the program again and again, or work for a given time. */
const longest = [
  'test/plans/',
  'test/process/',
  'test/knowledge/',
  'packages/',
  'test/documentation/',
  'test/migrations/',
  'test/model/',
  'test/boundaries/',
  'server/src/tenants/',
]

/**
 * Runs the files of these folders first, so that no worker comes to one of them when the others have nothing left.
 * Vitest knows the times of the last run alone, and on a clean checkout nothing but the sizes of files.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId)
  const place = longest.findIndex(folder => path.startsWith(folder))
  return place < 0 ? longest.length : place
}
