import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingKinds } from '../../server/src/modules.ts'
import { type Citations, citationsIn, oddCitationsIn } from './citations.ts'
import { allPages, type Page, root } from './markdown.ts'

const isContract = ({ path }: Page) => path.startsWith('docs/contract/')
const pages = await allPages()
const contract = pages.filter(isContract)
const cited = [...(await sources()), ...pages.filter(page => !isContract(page))]

/** Every section by its number, with the page that it stands on. */
const sections = new Map(
  contract.flatMap(page => [...page.text.matchAll(/^#+ (\d+(?:\.\d+)?) /gmu)].map(([, number = '']) => [number, page])),
)

/** Every gate by its number, with the file that decides it. */
const gates = new Map(
  [...(sections.get('1')?.text ?? '').matchAll(/^\| (\d+) \| .* \| `([^`]+)` \|$/gmu)].map(
    ([, number = '', file = '']) => [number, file],
  ),
)

describe('a citation of the contract', () => {
  test.each([
    ['outside of it', cited, 'contract '],
    ['in itself', contract, ''],
  ] as const)('%s exists', (_, citing, name) => {
    const failing = (wrong: (citations: Citations) => readonly string[]) =>
      citing.flatMap(({ path, text }) => wrong(citationsIn(text, name)).map(what => `${path}: ${what}`))
    expect(failing(({ sections: numbers }) => numbers.filter(number => !sections.has(number)))).toEqual([])
    expect(failing(({ gates: numbers }) => numbers.filter(number => !gates.has(number)))).toEqual([])
    expect(failing(({ words }) => words.filter(([number, word]) => !saysOf(number, word)).map(String))).toEqual([])
  })

  test('has the form that this test finds', () => {
    expect(cited.flatMap(({ path, text }) => oddCitationsIn(text).map(what => `${path}: ${what}`))).toEqual([])
    expect(cited.flatMap(({ text }) => citationsIn(text, 'contract ').sections).length).toBeGreaterThan(50)
  })
})

test('the gates are numbered without gaps', () => {
  expect([...gates.keys()]).toEqual(Array.from({ length: 18 }, (_, number) => String(number)))
})

test.each([...gates])('gate %s is decided in %s, which says so', async (number, file) => {
  expect(citationsIn(await readFile(join(root, file), 'utf8'), 'contract ').gates).toContain(number)
})

test('the page about the audit log names every kind of settings, whose changes leave entries', () => {
  expect(settingKinds.map(({ kind }) => kind).filter(kind => !saysOf('11', `\`${kind}\``))).toEqual([])
})

test('the index names every page', () => {
  const index = contract.find(({ path }) => path.endsWith('/README.md'))
  const names = contract.filter(page => page !== index).map(({ path }) => path.replace('docs/contract/', ''))
  expect(names.filter(name => !index?.text.includes(`](${name})`))).toEqual([])
})

function saysOf(number: string, word: string): boolean {
  return sections.get(number)?.text.toLowerCase().includes(word.toLowerCase()) ?? false
}

/** Files that are no pages, but cite them. */
async function sources(): Promise<Page[]> {
  const folders = ['server/src', 'packages/embedded-postgres/src', 'test']
  const named = folders.map(async folder =>
    (await readdir(join(root, folder), { recursive: true })).map(name => `${folder}/${name}`),
  )
  const paths = (await Promise.all(named)).flat().filter(name => name.endsWith('.ts'))
  return Promise.all(paths.map(async path => ({ path, text: await readFile(join(root, path), 'utf8') })))
}
