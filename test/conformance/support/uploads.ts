import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { defineOperation, mutate } from '../../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestApi } from '../../support/api.ts'
import type { Form } from './forms.ts'

export const mebibyte = 1024 * 1024
export const uploadPath = '/api/v1/crm/uploads'

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** An operation that tells what it was given, and what the server holds meanwhile; it stores its answer. */
export const upload = defineOperation({
  id: 'test.upload',
  method: 'POST',
  path: uploadPath,
  summary: 'An operation of the tests that takes files',
  scopes: ['crm_contacts_write'],
  body: {
    form: 'multipart',
    limit: 30 * mebibyte,
    files: {
      files: { description: 'Files', required: true, most: 3, maxBytes: 25 * mebibyte },
      small: { description: 'A small one', required: false, most: 1, maxBytes: 10 },
    },
    texts: { note: { description: 'A note', required: false, maxLength: 5 } },
  },
  valueScopes: body => (Object(body).note === 'guard' ? ['crm_amounts_write'] : []),
  answer: { data: {} },
  async execute({ files, body, actor }, services) {
    const shown = await Promise.all(
      files.map(async file => {
        if (file.tooLarge) return file
        const { path, ...rest } = file
        const modes = await Promise.all(
          [path, dirname(path)].map(async at => ((await stat(at)).mode & 0o777).toString(8)),
        )
        const inFolder = (await readdir(dirname(path))).length
        return { ...rest, inFolder, onDisk: (await stat(path)).size, modes }
      }),
    )
    const data = { files: shown, texts: body, held: services.admission.usage() }
    return mutate({ needs() {}, decide: () => ({ result: data }) }, actor, services, () => ({ status: 200, data }))
  },
})

/** A list of objects in an answer. */
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** What the server still has of forms: folders on disk, and bytes in its accounts. */
export async function leftOf({ services }: TestApi): Promise<unknown> {
  const { processSpoolBytes, processBodyBytes } = services.admission.usage()
  const folders = await readdir(services.spool.directory).catch(() => [])
  return { folders, processSpoolBytes, processBodyBytes }
}

export const nothing = { folders: [], processSpoolBytes: 0, processBodyBytes: 0 }

/** Begins a request that says it has a body of some length, and sends a part of it. */
export async function begin(api: TestApi, token: string, length: number, form: Form): Promise<Socket> {
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const lines = [
    `POST ${uploadPath} HTTP/1.1`,
    'Host: test',
    `Authorization: Bearer ${token}`,
    'Idempotency-Key: begun',
    `Content-Type: ${form.headers['content-type']}`,
    `Content-Length: ${length}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  socket.write(form.raw)
  return socket
}
