import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, readPage, root } from './markdown.ts'

const page = await readPage('docs/clients.md')
const blocks = blocksOf(page.text).map(({ text, prose }) => ({
  text,
  file: /`(examples\/[^`]+)`/gu.exec(prose.split('\n').findLast(line => line.includes('`examples/')) ?? '')?.[1] ?? '',
}))

test('the page shows how each client is made and used', () => {
  expect(blocks.filter(({ file }) => file.endsWith('build.sh'))).toHaveLength(5)
  expect(blocks.filter(({ file }) => !file.endsWith('build.sh'))).toHaveLength(5)
})

test.each(blocks.map(({ file, text }) => [file, text] as const))(
  'test:clients runs the commands that the page shows for %s',
  async (file, text) => {
    expect(await readFile(join(root, file), 'utf8')).toContain(text)
    expect(text.split('\n').filter(line => line !== '').length).toBeLessThanOrEqual(30)
  },
)
