import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runExtraction } from '../../server/src/ai-agents/knowledge-bases/extraction/run-extraction.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { archive } from '../conformance/support/workbooks.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useCompiledReader } from './support/compiled-reader.ts'
import { aPdf } from './support/documents.ts'
import { hostileFiles } from './support/hostile-files.ts'
import { aBase, basesPath, putFile, readFile } from './support/knowledge.ts'

useCompiledReader()
const given = useApi()
let organization: TestOrganization
let base = ''
beforeAll(async () => {
  organization = await given.organization()
  base = await aBase(organization.client)
})

/** Waits until the processes that this one has started are gone. */
async function expectNoProcess(): Promise<void> {
  await expect.poll(() => process.getActiveResourcesInfo(), { timeout: 20_000 }).not.toContain('ProcessWrap')
}

describe('a file that cannot be read fails with a reason, and leaves no process behind', () => {
  it.each(hostileFiles)('$about', async ({ about, name, content, code }) => {
    const id = about.replaceAll(' ', '-')
    const file = await readFile(given.api, organization.client, { base, id, name, content: content() })
    expect(file).toMatchObject({ status: 'failed', error: { code } })
    await expectNoProcess()
  })

  it('and the knowledge base says that something is wrong', async () => {
    expect((await organization.client.get(`${basesPath}/${base}`)).data.status).toBe('error')
  })
})

it('a text that begins with many comments is told from a page in no time that anybody notices', async () => {
  for (const begin of ['<!---->', '\uFEFF', '<!--', '<!-- -->\n']) {
    const content = `${begin.repeat(Math.ceil(4096 / begin.length))}<p>The end</p>`
    const answer = await putFile(organization.client, { base, id: 'comments', name: 'a.txt', content })
    expect(answer.data.mimeType).toBe('text/plain')
  }
})

describe('what is no file for a knowledge base is refused at once', () => {
  it.each([
    ['a picture', 'a.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['an old document, or one with a password', 'a.docx', Buffer.from('d0cf11e0a1b11ae10000', 'hex')],
    ['an archive', 'a.zip', archive([{ name: 'a.txt', content: 'a' }])],
  ])('%s', async (_about, name, content) => {
    const { status, error } = await putFile(organization.client, { base, id: name, name, content })
    expect([status, error.code]).toEqual([422, 'validation_error'])
  })
})

describe('the process that reads a file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'extraction-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const never = new AbortController().signal

  /** A file of two passages. */
  async function aFile() {
    const source = join(folder, newId())
    await writeFile(source, aPdf([['Text'], ['More']]))
    return { kind: 'pdf', source, result: `${source}.passages` } as const
  }

  /** A file that has no end: whoever reads it waits for ever. */
  function anEndlessFile() {
    const source = join(folder, newId())
    execFileSync('mkfifo', [source])
    return { kind: 'txt', source, result: `${source}.passages` } as const
  }

  it('goes when it has told what it found', async () => {
    expect(await runExtraction(await aFile(), never)).toEqual({ count: 2 })
    await expectNoProcess()
  })

  it.each<[limit: Parameters<typeof runExtraction>[2], code: string]>([
    [{ memory: 1 }, 'too_large'],
    [{ passages: 1 }, 'too_many_passages'],
    [{ text: 1 }, 'too_much_text'],
  ])('is ended when it goes beyond %o', async (limits, code) => {
    expect(await runExtraction(await aFile(), never, limits)).toMatchObject({ code })
    await expectNoProcess()
  })

  it('is ended when it takes too long', async () => {
    expect(await runExtraction(anEndlessFile(), never, { time: 100 })).toMatchObject({ code: 'too_slow' })
    await expectNoProcess()
  })

  it('is ended when the server stops, before and while it reads', async () => {
    expect(await runExtraction(anEndlessFile(), AbortSignal.abort())).toBeNull()
    const stop = new AbortController()
    const reading = runExtraction(anEndlessFile(), stop.signal)
    stop.abort()
    expect(await reading).toBeNull()
    await expectNoProcess()
  })
})
