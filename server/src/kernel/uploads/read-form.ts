import { Busboy } from '@fastify/busboy'
import type { Call } from '../call.ts'
import { type Issue, Refusal, refuse } from '../errors/index.ts'
import { type FormDeclaration, refuseEncoding, type UploadedFile } from '../input/index.ts'
import { bounds } from '../limits/index.ts'
import { FormParts, type TakenPart } from './form-parts.ts'
import { FormReader, type Parser } from './form-reader.ts'
import type { Room } from './room.ts'

/** A form that has come, or what is wrong with it. */
export interface ReadForm {
  readonly texts: Readonly<Record<string, string>>
  readonly files: readonly UploadedFile[]
  readonly issues: readonly Issue[]
  /** What makes two forms the same, whatever stands between their parts (contract section 3). */
  readonly sent: readonly unknown[]
}

const multipartType = /^multipart\/form-data\s*;/iu
/** Of one part. */
const mostHeaders = { headerSize: 16 * 1024, headerPairs: 32 }

/**
 * Gate 6 of a multipart body, and what gate 7 needs of it: 413 by the declared length, or as soon as more has come.
 * Files are written to the folder of the room.
 */
export async function readForm(declared: FormDeclaration, call: Call, room: Room): Promise<ReadForm | Refusal> {
  const { limit } = declared
  const length = Number(call.header('content-length') ?? 0)
  if (length > limit) return refuse('payload_too_large', { limitBytes: limit })
  // Room for all of it at once: otherwise many that come at the same time would leave no room for any.
  const refusal = room.reachOnDisk(length)
  if (refusal !== null) return refusal
  const parts = new FormParts(declared, room)
  const parser = parserOf(call)
  if (Array.isArray(parser)) return formOf([], (await isEmpty(call)) ? parts.missing() : parser)
  const taken = await new FormReader(parser, parts, limit, room).read(call)
  return taken instanceof Refusal ? taken : formOf(taken, parts.issues)
}

/** The parser that the head asks for, or what is wrong with the head. */
function parserOf(call: Call): Parser | Issue[] {
  const contentType = call.header('content-type') ?? ''
  const encoded = refuseEncoding(call.header('content-encoding'))
  if (encoded.length > 0) return encoded
  try {
    if (!multipartType.test(contentType)) throw new Error('another form')
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...mostHeaders, parts: bounds.formParts.most },
      // Texts too: the parser would hold them, and replace what is no UTF-8.
      isPartAFile: () => true,
      preservePath: true,
    })
  } catch {
    const message = 'multipart/form-data with a boundary is expected'
    return [{ path: 'header:Content-Type', rule: 'content_type', message }]
  }
}

/** Whether there is no body, whatever the head says of it. */
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
