import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Spool } from '../../server/src/kernel/index.ts'
import { removeFilesWithoutRow } from '../../server/src/retention/index.ts'
import { until } from '../support/waiting.ts'
import { aForm, type Part } from './support/forms.ts'
import { allBut, useApi } from './support/given.ts'
import { begin, leftOf, listOf, mebibyte, nothing, sha256, upload, uploadPath } from './support/uploads.ts'

const given = useApi({ operations: [upload] })
const aFile = (content: string | Uint8Array = 'x', fileName = 'a.txt'): Part => ({ name: 'files', fileName, content })

async function send(parts: readonly Part[], { key, boundary }: { key?: string; boundary?: string } = {}) {
  const { client } = await given.shared()
  return client.post(uploadPath, undefined, { ...aForm(parts, boundary), ...(key === undefined ? {} : { key }) })
}

const nothingIsLeft = () =>
  until('nothing of a form to be left', async () => {
    const left = JSON.stringify(await leftOf(given.api))
    return left === JSON.stringify(nothing)
  })

describe('files', () => {
  it('arrive whole, with size and hash, on disk and not in memory, and are gone with the answer', async () => {
    const content = Buffer.alloc(20 * mebibyte, 'large ')
    const { status, data } = await send([{ ...aFile(content), mediaType: 'Text/CSV; charset=utf-8' }])
    expect([status, data.files]).toEqual([
      200,
      [
        {
          name: 'files',
          fileName: 'a.txt',
          mediaType: 'text/csv',
          size: content.length,
          sha256: sha256(content),
          tooLarge: false,
          inFolder: 1,
          onDisk: content.length,
          modes: ['600', '700'],
        },
      ],
    ])
    const { processSpoolBytes, processBodyBytes } = Object(data.held)
    expect(processSpoolBytes).toBeGreaterThan(content.length)
    expect(processBodyBytes).toBe(0)
    expect(await leftOf(given.api)).toEqual(nothing)
  })

  it('come in their order, beside texts', async () => {
    const note = { name: 'note', content: 'žluť' }
    const { data } = await send([aFile('one', '1'), note, aFile('', '2'), aFile('three', '3')])
    expect(listOf(data.files).map(({ fileName, size }) => [fileName, size])).toEqual([
      ['1', 3],
      ['2', 0],
      ['3', 5],
    ])
    expect(data.texts).toEqual({ note: 'žluť' })
  })

  it('that are too large alone are marked, and not kept', async () => {
    const { status, data } = await send([aFile(), { name: 'small', fileName: 'b', content: '12345678901' }])
    expect([status, Object(data.files)[1]]).toEqual([
      200,
      {
        name: 'small',
        fileName: 'b',
        mediaType: 'text/plain',
        size: 11,
        sha256: sha256('12345678901'),
        tooLarge: true,
      },
    ])
    expect(Object(data.files)[0].inFolder).toBe(1)
    const { data: fitting } = await send([aFile(), { name: 'small', fileName: 'b', content: '1234567890' }])
    expect(Object(fitting.files)[1]).toMatchObject({ tooLarge: false, onDisk: 10 })
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\anna\\bill.pdf', 'bill.pdf'],
    ['..', 'unnamed'],
    ['', 'unnamed'],
    ['a/', 'unnamed'],
    ['in\u0000voice\u0007\u202efdp.exe', 'invoicefdp.exe'],
    ['Cafe\u0301.txt', 'Caf\u00e9.txt'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('called %j are shown as %j', async (fileName, shown) => {
    const { data } = await send([aFile('x', fileName)])
    expect(Object(data.files)[0].fileName).toBe(shown)
  })
})

describe('a repetition', () => {
  it('is the same request with another boundary and other places of its parts', async () => {
    const parts = [aFile('one', '1'), aFile('two', '2')]
    const first = await send(parts, { key: 'same', boundary: 'one' })
    const again = await send(parts.toReversed(), { key: 'same', boundary: 'another' })
    expect([again.status, again.headers.get('idempotent-replayed'), again.data]).toEqual([200, 'true', first.data])
  })

  it.each([
    ['a byte', [aFile('ona', '1')]],
    ['a name', [aFile('one', '2')]],
    ['a media type', [{ ...aFile('one', '1'), mediaType: 'text/csv' }]],
    ['a text', [aFile('one', '1'), { name: 'note', content: 'n' }]],
  ])('with another %s is a conflict', async (what, parts) => {
    await send([aFile('one', '1')], { key: `other ${what}`.replaceAll(' ', '-') })
    const { status, error } = await send(parts, { key: `other ${what}`.replaceAll(' ', '-') })
    expect([status, error.code]).toEqual([409, 'idempotency_conflict'])
  })
})

describe('a form that is wrong', () => {
  const issuesOf = async (parts: readonly Part[]) => {
    const { status, details } = await send(parts)
    expect(await leftOf(given.api)).toEqual(nothing)
    return [status, listOf(details.issues).map(({ path, rule }) => `${path} ${rule}`)]
  }
  it.each<[string, readonly Part[], string]>([
    ['without a required file', [{ name: 'note', content: 'a' }], '/files required'],
    ['with a file too many', [aFile(), aFile(), aFile(), aFile()], '/files maxItems'],
    ['with an unknown field', [aFile(), { name: 'o/ther', content: 'a' }], '/o~1ther unknown_field'],
    ['with a field of an object', [aFile(), { name: '__proto__', content: 'a' }], '/__proto__ unknown_field'],
    ['with a text for a file', [{ name: 'files', content: 'a' }], '/files file'],
    ['with a text that is too long', [aFile(), { name: 'note', content: 'abcdef' }], '/note maxLength'],
    ['with a very long text', [aFile(), { name: 'note', content: 'a'.repeat(mebibyte) }], '/note maxLength'],
    ['with a text that is none', [aFile(), { name: 'note', content: Buffer.from([0xff]) }], '/note maxLength'],
    ['with a text of zeros', [aFile(), { name: 'note', content: '\0' }], '/note maxLength'],
    ['with a text twice', [aFile(), { name: 'note', content: 'a' }, { name: 'note', content: 'b' }], '/note single'],
    ['with a thousand parts', Array.from({ length: 1000 }, () => aFile()), ' maxParts'],
  ])('%s is refused with its fault', async (_, parts, issue) => {
    const [status, issues] = await issuesOf(parts)
    expect(status).toBe(400)
    expect(issues).toContain(issue)
  })

  const whole = aForm([aFile('x'.repeat(1000))], 'b')
  const type = 'multipart/form-data; boundary=b'
  it.each([
    ['that is JSON', 'application/json', whole.raw, 'header:Content-Type'],
    ['without a boundary', 'multipart/form-data', whole.raw, 'header:Content-Type'],
    ['with an encoded body', type, whole.raw, 'header:Content-Encoding'],
    ['with another boundary', 'multipart/form-data; boundary=c', whole.raw, ''],
    ['that is cut short in a file', type, whole.raw.subarray(0, 500), ''],
    ['that is cut short in a head', type, whole.raw.subarray(0, 50), ''],
    ['that is no form at all', type, new TextEncoder().encode('hello'), ''],
    ['that is empty', type, new Uint8Array(), '/files'],
    ['that is empty, of another type', 'application/json', new Uint8Array(), '/files'],
  ])('%s is refused with its place', async (what, contentType, raw, path) => {
    const { client } = await given.shared()
    const encoding = what.includes('encoded') ? 'gzip' : 'identity'
    const headers = { 'content-type': contentType, 'content-encoding': encoding }
    const { status, details } = await client.post(uploadPath, undefined, { headers, raw })
    expect([status, listOf(details.issues).map(issue => issue.path)]).toEqual([400, [path]])
    expect(await leftOf(given.api)).toEqual(nothing)
  })

  it('is refused with all its faults at once, with those of its query and its key', async () => {
    const { client } = await given.shared()
    const form = aForm([{ name: 'other', content: 'a' }])
    const { details } = await client.post(`${uploadPath}?colour=red`, undefined, { ...form, key: null })
    const paths = listOf(details.issues).map(issue => issue.path)
    expect(paths).toEqual(['query:colour', 'header:Idempotency-Key', '/other', '/files'])
  })
})

describe('no bytes stay on disk of a form', () => {
  it('whose client leaves in the middle', async () => {
    const { client } = await given.shared()
    const socket = await begin(given.api, client.token, 2 * mebibyte, aForm([aFile(Buffer.alloc(mebibyte))]))
    await until('the file to be on disk', async () => {
      const folders = await readdir(given.api.services.spool.directory)
      const files = await Promise.all(folders.map(name => readdir(join(given.api.services.spool.directory, name))))
      return files.flat().length > 0
    })
    socket.destroy()
    await nothingIsLeft()
  })

  it('that a later gate refuses', async () => {
    const organization = await given.shared()
    const client = await organization.token(allBut('crm_amounts_write'))
    const form = aForm([aFile(), { name: 'note', content: 'guard' }])
    expect((await client.post(uploadPath, undefined, form)).status).toBe(403)
    expect(await leftOf(given.api)).toEqual(nothing)
  })

  it('that was there when a process was killed, an hour later', async () => {
    const { directory } = given.api.services.spool
    const left = join(directory, 'request-of-another')
    const age = async (...paths: readonly string[]) => {
      const before = new Date(Date.now() - 3_601_000)
      for (const path of paths) await utimes(path, before, before)
    }
    await mkdir(left, { recursive: true })
    await writeFile(join(left, '0'), 'x')
    await age(left)
    const spool = new Spool(directory)
    await spool.open()
    // The file in it may still be written to.
    expect(await readdir(directory)).toContain('request-of-another')
    await age(left, join(left, '0'))
    await new Spool(directory).open()
    expect(await readdir(directory)).not.toContain('request-of-another')

    await mkdir(left)
    await age(left)
    const { removed } = await removeFilesWithoutRow.run(given.api.services, new AbortController().signal)
    expect(removed.unfinishedFiles).toBeGreaterThan(0)
    expect(await readdir(directory)).not.toContain('request-of-another')
  })
})
