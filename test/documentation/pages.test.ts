import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandNames } from '../../packages/cli/src/commands/all.ts'
import { runCli } from '../../server/src/entrypoints/cli/index.ts'
import { allPages, blocksOf, type Page, proseOf, root } from './markdown.ts'

const pages = await allPages()
const wordsOfCrm = new Set([...commandNames, '--help', '--version'])
const titled = pages.map(page => [page.path, page] as const)

test('there are pages', () => {
  expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/operations/README.md']))
})

describe.each(titled)('%s', (_, page) => {
  test('every link leads to a file and a heading', () => {
    const broken = linksOf(page).filter(link => !leadsSomewhere(page, link))
    expect(broken).toEqual([])
  })

  test('every file that it names exists', () => {
    const named = filesNamedIn(page.text).filter(name => !invented.test(name))
    expect(named.filter(name => !existsSync(join(root, name)))).toEqual([])
  })

  test('every excerpt of code is in the file named before it', async () => {
    for (const { language, text, prose } of blocksOf(page.text)) {
      const name = filesNamedIn(prose).at(-1)
      if (!['ts', 'js'].includes(language) || name === undefined || invented.test(name)) continue
      expect(await readFile(join(root, name), 'utf8')).toContain(text)
    }
  })

  test('every npm script exists, and a server is started as `npm start` starts it', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const started = [...page.text.matchAll(/node (--max.* serve)\b/gu)].map(([, words]) => `exec node ${words}`)
    expect(started.filter(command => command !== scripts.start)).toEqual([])
    const named = [...page.text.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/gu)]
    expect(named.map(([, run, short]) => run ?? short).filter(name => !(String(name) in scripts))).toEqual([])
  })

  test('the program of the server is called crm-server, and that of integrators crm', () => {
    const named = [...page.text.matchAll(/(?:^ *|`|\$ )crm ((?:--)?[a-z-]+)(.*)/gmu)]
    expect(named.filter(([, word = '']) => !wordsOfCrm.has(word)).map(([line]) => line)).toEqual([])
  })

  test('every command and its options exist', async () => {
    for (const line of commandsIn(page)) {
      const help = await helpOf(line)
      const options = line.match(/--[a-z][a-z-]*/gu) ?? []
      expect(options.filter(option => !help.includes(option))).toEqual([])
    }
  })
})

function linksOf({ text }: Page): string[] {
  const targets = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = '']) => target)
  return targets.filter(target => !/^[a-z]+:/u.test(target))
}

function leadsSomewhere({ path, text }: Page, link: string): boolean {
  const [target = '', heading] = link.split('#')
  const file = target === '' ? path : join(dirname(path), target)
  if (!existsSync(join(root, file))) return false
  if (heading === undefined) return true
  const aimed = file === path ? text : pages.find(page => page.path === file)?.text
  return aimed !== undefined && headingsOf(aimed).includes(heading)
}

/** Headings by the names that GitHub gives them. */
function headingsOf(text: string): string[] {
  const headings = [...proseOf(text).matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) => heading)
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

// The walk-through about adding a resource makes files of its own.
const invented = /project|founded_on|hidden_tags/u

function filesNamedIn(text: string): string[] {
  const named = proseOf(text).matchAll(/`((?:server|packages|test|docs|examples|scripts|bench)\/[^`\s]*)`/gu)
  return [...named].map(([, name = '']) => name)
}

/** The commands of the program that a page names, with their options. In packages it is called `crm-server`. */
function commandsIn({ text }: Page): string[] {
  const found = text.matchAll(/(?:npm run -s crm --|(?<=^ *|`)crm-server) ([a-z-].*?)(?=[`)]|$)/gmu)
  return [...found].map(([, line = '']) => line.trim())
}

const entrypoints = {
  serve: () => Promise.resolve(0),
  confirm: () => Promise.resolve(false),
}

/** The help of the command that a line begins with. */
async function helpOf(line: string): Promise<string> {
  const words = /^[a-z-]+(?: [a-z][a-z-]*)?(?= |$)/u.exec(line)?.[0].split(' ') ?? []
  let said = ''
  const listen = (text: string) => {
    said += text
  }
  const status = await runCli([...words, '--help'], {}, entrypoints, { out: listen, err: listen })
  expect({ line, status, said }).toEqual({ line, status: 0, said })
  return said
}
