import { isObject, type JsonObject } from '../../kernel/schema/index.ts'

/**
 * Calls operations of the API as the demo application, so that sample records are made like all others. The
 * implementation adds the token and a new `Idempotency-Key` to each call.
 */
export interface SampleWriter {
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  close(): Promise<void>
}

const crm = '/api/v1/crm'

/** Creates one record and resolves to its id. Throws when it was refused. */
export async function upsert(writer: SampleWriter, plural: string, record: JsonObject): Promise<string> {
  return idOf(await write(writer, 'POST', `${crm}/${plural}/upsert`, record))
}

/** Creates up to 100 records and resolves to their ids. Throws when one of them was refused. */
export async function upsertBatch(
  writer: SampleWriter,
  plural: string,
  items: readonly JsonObject[],
): Promise<readonly string[]> {
  const path = `${crm}/${plural}/batch/upsert`
  const { data } = await write(writer, 'POST', path, { items })
  const elements = Array.isArray(data) ? data.filter(isObject) : []
  const refused = elements.find(element => element.error !== undefined)
  if (refused !== undefined) throw refusal(path, Number(refused.status), refused.error)
  if (elements.length !== items.length) throw new Error(`${path} answered for ${elements.length} of ${items.length}`)
  return elements.map(idOf)
}

/** Gives a record that was just created its tags. Throws when they were refused. */
export async function setTags(writer: SampleWriter, plural: string, id: string, tagIds: readonly string[]) {
  const tags = tagIds.map(tagId => ({ id: tagId }))
  await write(writer, 'PUT', `${crm}/${plural}/${id}/tags`, { expectedVersion: 1, tags })
}

function idOf({ data }: JsonObject): string {
  return String(isObject(data) ? data.id : undefined)
}

async function write(writer: SampleWriter, method: string, path: string, body: unknown): Promise<JsonObject> {
  const answer = await writer.call(method, path, body)
  const envelope = isObject(answer.body) ? answer.body : {}
  if (answer.status !== 200 && answer.status !== 201) throw refusal(path, answer.status, envelope.error)
  return envelope
}

function refusal(path: string, status: number, error: unknown): Error {
  const message = isObject(error) ? `${String(error.code)}: ${String(error.message)}` : 'no reason was given'
  return new Error(`the sample data was refused by ${path} with ${status}: ${message}`)
}
