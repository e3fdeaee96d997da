import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const declared = /^export (?:async )?(?:abstract )?(?:const|function\*?|class|interface|type|enum) (\w+)/gmu

/** The names that a file exports; overloads of a function, and a type beside a constant, are one name. */
function namesIn(text: string): Set<string> {
  return new Set([...text.matchAll(declared)].flatMap(([, name]) => name ?? []))
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true })
  // The names of generated files are those of the document.
  return entries.filter(name => /^(?!generated\/).*(?<!\.test|\.d)\.tsx?$/u.test(name)).map(name => join(folder, name))
}

test.each([
  [['server/src', 'packages/embedded-postgres/src'], 1000],
  [['packages/sdk/src'], 50],
  [['packages/cli/src'], 25],
  [['cabinet/build', 'cabinet/src'], 400],
])('each name is exported by one file, so that it means one thing: %j', async (folders, least) => {
  const files = (await Promise.all(folders.map(filesOf))).flat()
  const exporters = new Map<string, string[]>()
  for (const file of files)
    for (const name of namesIn(await readFile(join(root, file), 'utf8')))
      exporters.set(name, [...(exporters.get(name) ?? []), file])
  expect(exporters.size).toBeGreaterThan(least)
  expect([...exporters].filter(([, by]) => by.length > 1)).toEqual([])
})
