import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  type ByteRange,
  FileMissing,
  type FilePurpose,
  type FileStore,
  fileKey,
} from '../../server/src/kernel/files/index.ts'

const mebibyte = 1024 * 1024

/** The guarantees of every file store, as tests. */
export function itKeepsItsPromises(store: () => FileStore): void {
  const aKey = (organizationId: string = randomUUID(), purpose: FilePurpose = 'attachment') =>
    fileKey({ organizationId, purpose, id: randomUUID() })
  const read = async (key: string, range?: ByteRange) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of store().get(key, range)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const keysIn = async (prefix: string) => {
    const keys: string[] = []
    for await (const { key } of store().list(prefix)) keys.push(key)
    return keys.toSorted()
  }
  const put = (key: string, ...texts: readonly string[]) =>
    store().put(key, {
      chunks: (async function* () {
        for (const text of texts) yield Buffer.from(text)
      })(),
    })

  it('keeps a spooled file, which stays where it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crm-spooled-'))
    const path = join(folder, 'file')
    const bytes = Buffer.from(Array.from({ length: 3 * mebibyte }, (_, index) => index % 251))
    await writeFile(path, bytes)
    const key = aKey()
    await store().put(key, { path })
    expect((await read(key)).equals(bytes)).toBe(true)
    await store().remove(key)
    await rm(path)
    await rm(folder, { recursive: true })
  })

  it('keeps bytes as they come, however many', async () => {
    const key = aKey()
    async function* chunks() {
      for (let index = 0; index < 20; index += 1) yield Buffer.alloc(mebibyte, index)
    }
    await store().put(key, { chunks: chunks() })
    expect((await store().stat(key))?.size).toBe(20 * mebibyte)
    const part = await read(key, { start: 9 * mebibyte - 1, end: 9 * mebibyte })
    expect([...part]).toEqual([8, 9])
  })

  it('keeps an empty file', async () => {
    const key = aKey()
    await put(key)
    expect([(await read(key)).length, (await store().stat(key))?.size]).toEqual([0, 0])
  })

  it('shows when a file was stored', async () => {
    const key = aKey()
    const before = Date.now()
    await put(key, 'x')
    const stored = await store().stat(key)
    expect(stored).toEqual({ key, size: 1, storedAt: expect.any(Date) })
    // Some stores keep times only to the second.
    expect(Math.abs(Number(stored?.storedAt) - before)).toBeLessThan(5000)
  })

  it('returns the bytes of a range, its ends included', async () => {
    const key = aKey()
    await put(key, 'abc', 'defghi', 'j')
    expect((await read(key, { start: 2, end: 4 })).toString()).toBe('cde')
    expect((await read(key, { start: 9, end: 9 })).toString()).toBe('j')
    expect((await read(key)).toString()).toBe('abcdefghij')
  })

  it('lets go of a file that is not read to its end', async () => {
    const key = aKey()
    await put(key, ...Array.from({ length: 20 }, () => 'x'.repeat(mebibyte)))
    for await (const chunk of store().get(key)) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await store().remove(key)
    expect(await store().stat(key)).toBeNull()
  })

  it('knows nothing of a file that is not there, and removes it without complaint', async () => {
    const key = aKey()
    expect(await store().stat(key)).toBeNull()
    await expect(read(key)).rejects.toBeInstanceOf(FileMissing)
    await expect(read(key, { start: 0, end: 1 })).rejects.toBeInstanceOf(FileMissing)
    await store().remove(key)
  })

  it('lists by organization and purpose', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    const keys = [aKey(one), aKey(one), aKey(one, 'export'), aKey(other)]
    for (const key of keys) await put(key, key)
    expect(await keysIn(`${one}/`)).toEqual(keys.slice(0, 3).toSorted())
    expect(await keysIn(`${one}/export/`)).toEqual(keys.slice(2, 3))
    expect(await keysIn(`${one}/import/`)).toEqual([])
    expect(await keysIn(`${randomUUID()}/`)).toEqual([])
    expect(await keysIn('')).toEqual(expect.arrayContaining(keys))
  })

  it('keeps nothing of bytes that end with an error, and passes the error on', async () => {
    const organization = randomUUID()
    const broken = new Error('the source is broken')
    async function* chunks() {
      yield Buffer.alloc(9 * mebibyte)
      throw broken
    }
    await expect(store().put(aKey(organization), { chunks: chunks() })).rejects.toBe(broken)
    expect(await keysIn(`${organization}/`)).toEqual([])
  })

  it.each(['', '../secret', 'a/b/c', `${randomUUID()}/attachment/../../x`, `${randomUUID()}/other/${randomUUID()}`])(
    'refuses a key that is not one of files: %j',
    async key => {
      const refused = 'no key of a file'
      expect(() => store().put(key, { path: '/etc/hostname' })).toThrow(refused)
      expect(() => store().remove(key)).toThrow(refused)
      await expect(read(key)).rejects.toThrow(refused)
      await expect(store().stat(key)).rejects.toThrow(refused)
    },
  )
}
