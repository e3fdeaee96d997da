import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { canaries, writeCanaries } from './canaries.ts'
import { type Findings, findViolations } from './cruise.ts'
import { circlesBetweenParts } from './folders.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folders = ['server', 'test', 'scripts', 'bench', 'examples', 'packages']

describe('the rules for imports', () => {
  let found: Findings
  beforeAll(async () => {
    found = await findViolations(root, folders)
  })

  // With a compiler that dependency-cruiser cannot use it reads nothing and finds nothing.
  test('read every file', async () => {
    const onDisk = (await Promise.all(folders.map(typescriptFiles))).flat()
    expect(onDisk.length).toBeGreaterThan(200)
    const read = new Set(found.modules)
    expect(onDisk.filter(file => !read.has(file))).toEqual([])
  })

  test('find no forbidden import', () => {
    expect(found.violations.map(({ text }) => text)).toEqual([])
  })

  test('find no circle between the folders of the kernel', () => {
    const inside = found.imports.filter(({ from }) => from.startsWith('server/src/kernel/'))
    expect(inside.length).toBeGreaterThan(500)
    expect(circlesBetweenParts('server/src/kernel', found.imports)).toEqual([])
  })
})

test('a circle between folders is found, also where no files form one', () => {
  const imports = [
    { from: 'kernel/hen/lays.ts', to: 'kernel/egg/is-laid.ts' },
    { from: 'kernel/egg/deep/hatches.ts', to: 'kernel/coop.ts' },
    { from: 'kernel/coop.ts', to: 'kernel/hen/is-hatched.ts' },
    { from: 'kernel/farm.ts', to: 'kernel/hen/lays.ts' },
  ]
  expect(circlesBetweenParts('kernel', imports)).toEqual([['coop.ts', 'egg', 'hen']])
})

describe('every rule catches its canaries', () => {
  let found: Findings
  let remove: () => Promise<void>
  beforeAll(async () => {
    const tree = await writeCanaries()
    remove = tree.remove
    found = await findViolations(tree.directory, ['server', 'test', 'examples', 'packages'])
  })
  afterAll(() => remove())

  test('and has at least one', () => {
    expect(found.rules.toSorted()).toEqual(Object.keys(canaries).toSorted())
  })

  for (const [rule, members] of Object.entries(canaries)) {
    for (const { from, to } of members) {
      it(`${rule}: ${from} -> ${to}`, () => {
        const rules = found.violations.filter(({ files }) => files.includes(from)).map(violation => violation.rule)
        // Nothing leads from the entry to a canary: each is a dead file too.
        const others = rules.filter(name => name !== 'no-dead-files')
        expect(rule === 'no-dead-files' ? rules : [...new Set(others)]).toEqual([rule])
      })
    }
  }
})

describe('the environment is read in main.ts alone', () => {
  // The configuration is read in config.ts, which is handed the environment.
  const reads =
    /\bprocess\s*(\?\.|\.)\s*(env|argv|argv0|execArgv|stdin|stdout|stderr)\b|\bprocess\s*\[|=\s*process\b(?!\s*\??\.)/u

  const sandbox = 'server/src/kernel/sandbox/sandbox.ts'

  test('no other file of the product touches arguments, environment or terminal', async () => {
    const readers: string[] = []
    for (const file of await typescriptFiles('server/src')) {
      if (file === 'server/src/main.ts' || file.endsWith('.test.ts')) continue
      const text = await readFile(join(root, file), 'utf8')
      // A process that reads a file of a stranger is started with the options of Node.js that this one has.
      const lines = (file === sandbox ? text.replace('process.execArgv', '') : text).split('\n')
      readers.push(
        ...lines.flatMap((line, index) => (reads.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
      )
    }
    expect(readers).toEqual([])
  })

  for (const canary of [
    "process.env['PATH']",
    'process.argv.slice(2)',
    'process?.stdout.write(text)',
    "process['env']",
    'const { env } = process',
  ]) {
    it(`catches ${canary}`, () => expect(canary).toMatch(reads))
  }

  for (const harmless of [
    'process.pid',
    'process.once(name, stop)',
    'the process environment',
    'const p = process.pid',
  ]) {
    it(`passes over ${harmless}`, () => expect(harmless).not.toMatch(reads))
  }
})

async function typescriptFiles(folder: string): Promise<string[]> {
  const files = await readdir(join(root, folder), { recursive: true })
  const sources = files.filter(file => file.endsWith('.ts') && !/(^|\/)(dist|node_modules)\//u.test(file))
  return sources.map(file => `${folder}/${file}`)
}
