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
  return entries.filter(name => /(?<!\.test|\.d)\.ts$/u.test(name)).map(name => join(folder, name))
}

test('each name is exported by one file, so that it means one thing', async () => {
  const files = [...(await filesOf('server/src')), ...(await filesOf('packages/embedded-postgres/src'))]
  const exporters = new Map<string, string[]>()
  for (const file of files)
    for (const name of namesIn(await readFile(join(root, file), 'utf8')))
      exporters.set(name, [...(exporters.get(name) ?? []), file])
  expect(exporters.size).toBeGreaterThan(1000)
  expect([...exporters].filter(([, by]) => by.length > 1)).toEqual([])
})
