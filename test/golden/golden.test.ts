import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { withBounds } from './bounds.ts'
import { withCommands } from './commands.ts'
import { withErrors } from './error-table.ts'
import { renderGoldenFiles } from './render.ts'

// A difference is either a mistake or a change of the public API: then `npm run golden`, and review what it wrote.
for (const [name, text] of Object.entries(renderGoldenFiles())) {
  test(`${name} is what the declarations give`, async () => {
    const golden = await readFile(new URL(`../../docs/api/${name}`, import.meta.url), 'utf8').catch(() => '')
    expect(text === golden ? [] : differences(golden, text), 'npm run golden rewrites the files').toEqual([])
  })
}

test('the bounds in docs/operations/bounds.md are those that the code enforces', async () => {
  const page = await readFile(new URL('../../docs/operations/bounds.md', import.meta.url), 'utf8')
  expect(withBounds(page), 'npm run golden rewrites the table').toBe(page)
})

test('the error codes in the contract are those of the catalogue', async () => {
  const page = await readFile(new URL('../../docs/contract/14-errors-and-limits.md', import.meta.url), 'utf8')
  expect(withErrors(page), 'npm run golden rewrites the table').toBe(page)
})

test('the commands in docs/operations/commands.md are those that the program has', async () => {
  const page = await readFile(new URL('../../docs/operations/commands.md', import.meta.url), 'utf8')
  expect(await withCommands(page), 'npm run golden rewrites the table').toBe(page)
})

/** The lines that only one of two texts has, with their numbers; at most twenty. */
function differences(golden: string, now: string): string[] {
  const [before, after] = [golden.split('\n'), now.split('\n')]
  const [known, present] = [new Set(before), new Set(after)]
  const gone = before.flatMap((line, index) => (present.has(line) ? [] : `- ${index + 1}: ${line}`))
  const come = after.flatMap((line, index) => (known.has(line) ? [] : `+ ${index + 1}: ${line}`))
  const found = [...gone, ...come].slice(0, 20)
  return found.length > 0 ? found : ['the same lines in another order or number']
}
