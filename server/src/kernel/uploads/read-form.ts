import { Busboy } from '@fastify/busboy'
import { type Issue, Refusal, refuse } from '../errors/index.ts'
import type { Call } from '../input/call.ts'
import { type FormDeclaration, refuseEncoding, type UploadedFile } from '../input/index.ts'
import { bounds } from '../limits/index.ts'
import { FormParts, type TakenPart } from './form-parts.ts'
import { FormReader, type Parser } from './form-reader.ts'
import type { Room } from './room.ts'

/** A form that was read, with its issues. */
export interface ReadForm {
  readonly texts: Readonly<Record<string, string>>
  readonly files: readonly UploadedFile[]
  readonly issues: readonly Issue[]
  /** The input of the form's fingerprint: its parts, whatever is between them (contract section 3). */
  readonly sent: readonly unknown[]
}

const multipartType = /^multipart\/form-data\s*;/iu
/** The limits of the headers of one part. */
const mostHeaders = { headerSize: 16 * 1024, headerPairs: 32 }

/**
 * Gate 6 of a multipart body, and the result that gate 7 needs. Refuses with 413 by the declared length, or as soon as more bytes have
 * come. Writes files to the folder of the room.
 */
export async function readForm(declared: FormDeclaration, call: Call, room: Room): Promise<ReadForm | Refusal> {
  const { limit } = declared
  const length = Number(call.header('content-length') ?? 0)
  if (length > limit) return refuse('payload_too_large', { limitBytes: limit })
  // Reserves space for the whole body at once: otherwise many bodies that arrive together could each hold a part, and none could complete.
  const refusal = await room.begin(length)
  if (refusal !== null) return refusal
  const parts = new FormParts(declared, room)
  const parser = parserOf(call)
  if (Array.isArray(parser)) return formOf([], (await isEmpty(call)) ? parts.missing() : parser)
  const taken = await new FormReader(parser, parts, limit, room).read(call)
  return taken instanceof Refusal ? taken : formOf(taken, parts.issues)
}

/** The parser for the form that the headers announce, or their issues. */
function parserOf(call: Call): Parser | Issue[] {
  const contentType = call.header('content-type') ?? ''
  const encoded = refuseEncoding(call.header('content-encoding'))
  if (encoded.length > 0) return encoded
  try {
    if (!multipartType.test(contentType)) throw new Error('another form')
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...mostHeaders, parts: bounds.formParts.most },
      // Texts are read like files: the parser would hold them in memory, and replace bytes that are not UTF-8.
      isPartAFile: () => true,
      preservePath: true,
    })
  } catch {
    const message = 'multipart/form-data with a boundary is expected'
    return [{ path: 'header:Content-Type', rule: 'content_type', message }]
  }
}

/** Whether the body is empty, whatever the headers say. */
async function isEmpty(call: Call): Promise<boolean> {
  for await (const chunk of call.streamBody()) if (chunk.length > 0) return false
  return true
}

function formOf(taken: readonly TakenPart[], issues: readonly Issue[]): ReadForm {
  return {
    texts: Object.fromEntries(taken.flatMap(({ text }) => (text === undefined ? [] : [[text.name, text.value]]))),
    files: taken.flatMap(({ file }) => file ?? []),
    issues,
    sent: taken
      .map(({ print }) => print)
      .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
  }
}
