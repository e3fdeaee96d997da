import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, blocksOf, readPage, root, sectionOf } from './markdown.ts'
import { type RunningServer, startServer } from './server.ts'
import { formOf, runSteps, stepsOf } from './steps.ts'

const page = await readPage('docs/adding-a-resource.md')
const [helpers] = stepsOf(sectionOf(await readPage('README.md'), 'Five minutes with curl'))
const steps = [...(helpers === undefined ? [] : [helpers]), ...stepsOf(page.text)]

/** A first start takes seconds; a machine with much else to do may take longer. */
const patience = 120_000

describe('the page about adding a resource', () => {
  let folder: string
  let server: RunningServer | undefined
  let complaints: string
  let printed: readonly string[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crm-added-'))
    for (const name of ['server', 'packages', 'cabinet', 'scripts', 'package.json', 'tsconfig.json'])
      await cp(join(root, name), join(folder, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const block of blocksOf(page.text)) await makeEdit(folder, block)
    complaints = await build(folder)
    server = await startServer(join(folder, 'server/dist/main.js'))
    printed = await runSteps(steps, folder, server)
  }, patience)

  afterAll(async () => {
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('makes edits that compile', () => {
    expect(complaints).toBe('')
  })

  test.each(steps.map(({ name, shown }, index) => [name, shown, index] as const))('%s', (_, shown, index) => {
    expect(printed[index]).toMatch(formOf(shown))
  })
})

/** Builds the program in a folder, and tells what the checker of types has to say. */
async function build(folder: string): Promise<string> {
  const run = (name: string, words: readonly string[]) =>
    promisify(execFile)(join(folder, 'node_modules/.bin', name), words, { cwd: folder })
  const checked = run('tsc', ['-p', 'server/tsconfig.build.json']).catch((error: { stdout: string }) => error)
  await run('tsx', ['--conditions=source', 'scripts/build.ts'])
  return (await checked).stdout
}

/** Writes a file, or edits it, as a block of the page says; the file is the last one named before the block. */
async function makeEdit(folder: string, { language, text, prose }: Block): Promise<void> {
  if (language === 'bash' || language === 'text') return
  const name = [...prose.matchAll(/`(server\/[^`]+)`/gu)].at(-1)?.[1] ?? lastFile
  lastFile = name
  const file = join(folder, name)
  if (language === 'diff') {
    const [before, after] = [' -', ' +'].map(signs => linesWith(text, signs))
    const content = await readFile(file, 'utf8')
    if (!content.includes(before ?? '')) throw new Error(`${page.path}: ${name} has other lines now than\n${before}`)
    await writeFile(file, content.replace(before ?? '', after ?? ''))
    return
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

let lastFile = ''

function linesWith(difference: string, signs: string): string {
  const lines = difference.split('\n').filter(line => line !== '' && signs.includes(line.charAt(0)))
  return lines.map(line => `${line.slice(1)}\n`).join('')
}
