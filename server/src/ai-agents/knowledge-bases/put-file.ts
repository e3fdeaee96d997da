import { type FileName, forgetFile, type KeptFile, recordFile } from '../../kernel/files/index.ts'
import {
  applyNamed,
  bounds,
  type Decision,
  defineOperation,
  discardDropped,
  limits,
  type Mutation,
  mutate,
  type NamedPlace,
  namedRecord,
  namedWriting,
  needNamed,
  type Operation,
  pathOfNamed,
  placeOf,
  type RecordState,
  Refusal,
  type Request,
  refuse,
  type Services,
  type Success,
  shownNamed,
  type WriteContext,
} from '../../kernel/index.ts'
import { violates } from '../../kernel/schema/index.ts'
import { blank, fileRoom, needFileRoom, raised, type WorkingSet } from '../../kernel/write/index.ts'
import { type FileKind, kindOfFile, mediaTypes } from './extraction/file-kind.ts'
import { indexRequest } from './indexing/index-job.ts'
import { removalRequest } from './indexing/removal-job.ts'
import { selectKnowledgeBytes } from './knowledge-bases.sql.ts'
import { contentOf, knowledgeFile } from './knowledge-file.ts'

const mebibyte = 1024 * 1024

/** A file that was sent, and what it looks like. */
interface Sent {
  readonly size: number
  readonly sha256: string
  readonly name: string
  readonly kind: FileKind
}

/** `PUT /knowledge-bases/:kbId/files/:fileId`: a new file, or other bytes for one (contract section 13.1). */
export const putFile: Operation = defineOperation({
  ...namedWriting(knowledgeFile),
  ...pathOfNamed(knowledgeFile),
  id: 'knowledgeBases.files.put',
  method: 'PUT',
  summary: 'Create or replace a file of a knowledge base',
  description:
    'PDF, DOCX, XLSX, HTML, Markdown, CSV or plain text, known by its content. The text is read after the answer: the file is ' +
    '`queued` until agents find what stands in it, and the same bytes are not read again.',
  body: {
    form: 'multipart',
    limit: limits.knowledgeFileBytes + mebibyte,
    files: { file: { description: 'The file.', required: true, most: 1, maxBytes: limits.knowledgeFileBytes } },
    texts: {},
  },
  refuses: [
    ['not_found', 'There is no such knowledge base.'],
    [
      'unprocessable',
      'The knowledge base would have too many files or too many bytes, or the quota of files is used up.',
    ],
  ],
  execute: put,
})

/**
 * Decides twice: before the file is stored, so that a request that is refused, repeated or changes nothing stores nothing, and
 * afterwards for good.
 */
async function put(request: Request, services: Services): Promise<Success | Refusal> {
  const {
    files: [file],
    writer,
  } = request
  if (file === undefined) throw new Error('an upload has no file')
  if (file.tooLarge) return refuse('payload_too_large', { limitBytes: limits.knowledgeFileBytes })
  const { path, size, sha256, fileName: name } = file
  const kind = await kindOfFile(path, name)
  const sent = kind === null ? null : { size, sha256, name, kind }
  const place = placeOf(knowledgeFile, request)
  const first = await mutate(putting(place, sent, null), writer, services)
  if (first !== mayBeStored || sent === null) return first
  const { organizationId } = writer
  const about = { organizationId, purpose: 'knowledge', name, mediaType: mediaTypes[sent.kind] } as const
  const kept = await services.files.keep({ ...about, source: { path, size, sha256 } })
  const stored: Stored = { file: kept, isRecorded: false, dropped: [] }
  // If this throws, nobody may know whether the file is recorded. One that is not is swept.
  const outcome = await mutate(putting(place, sent, stored), writer, services)
  const isRecorded = stored.isRecorded && !(outcome instanceof Refusal) && outcome.replayed !== true
  if (isRecorded) await discardDropped(stored.dropped, request, services)
  else await services.files.discard([kept])
  return outcome
}

/** Stands for the decision that a file may be stored. No client sees it. */
const mayBeStored = new Refusal(500, 'internal_error')

interface Stored {
  readonly file: KeptFile
  /** Whether the last attempt to decide recorded the file; an attempt may start over and decide otherwise. */
  isRecorded: boolean
  /** The exports that this attempt has dropped to make room. */
  dropped: readonly FileName[]
}

/** The mutation that puts a file. `stored` is null as long as the file is not stored, `sent` where the file is of no known kind. */
function putting(place: NamedPlace, sent: Sent | null, stored: Stored | null): Mutation {
  return {
    needs(needs) {
      needNamed(needs, knowledgeFile, place)
      needs.toAdd(knowledgeFile)
      if (sent !== null) needFileRoom(needs, sent.size)
      needs.toLoad([{ name: 'bytes', statement: selectKnowledgeBytes, values: [] }])
    },
    decide(work, write) {
      if (stored !== null) stored.isRecorded = false
      const found = namedRecord(knowledgeFile, place, work)
      if (found instanceof Refusal) return found
      const { parent, record } = found
      if (sent === null) return unknownKind()
      if (record?.sha256 === sent.sha256 && record.status !== 'failed')
        return renamed(parent, record, sent.name, work, write)
      const refusal = refuseMore(parent, record, sent, Number(work.extra('bytes')[0]?.bytes))
      if (refusal !== null) return refusal
      const more = sent.size - Number(record?.sizeBytes ?? 0)
      const room = fileRoom('/file', more, write.organizationId, work)
      if (room instanceof Refusal) return room
      if (stored === null) return mayBeStored
      stored.isRecorded = true
      stored.dropped = room.dropped
      const decision = replaced(place, sent, stored.file, parent, record, work, write)
      return { ...decision, rows: [...(decision.rows ?? []), ...room.rows] }
    },
  }
}

function unknownKind(): Refusal {
  const message = 'The file is none of PDF, DOCX, XLSX, HTML, Markdown, CSV and plain text, or it has a password'
  return violates('/file', 'not_supported', message)
}

/** 422 where the knowledge base would have too many files, or the organization too many bytes. */
function refuseMore(parent: RecordState, record: RecordState | null, sent: Sent, bytes: number): Refusal | null {
  const limit = bounds.knowledgeFiles.most
  if (record === null && Number(parent.filesCount) >= limit)
    return violates('', 'max_items', `A knowledge base has ${limit} files at most: delete one first`, { limit })
  const most = bounds.organizationKnowledgeBytes.most
  if (bytes - Number(record?.sizeBytes ?? 0) + sent.size <= most) return null
  return violates('/file', 'max_bytes', `The files of all knowledge bases can have ${most} bytes at most`, {
    limit: most,
  })
}

/** The same bytes again: at most the name is new. */
function renamed(
  parent: RecordState,
  before: RecordState,
  name: string,
  work: WorkingSet,
  write: WriteContext,
): Decision {
  if (before.name === name) return shownNamed(knowledgeFile, 200, before, write)
  const after = raised(before, { ...before, name }, write)
  applyNamed(knowledgeFile, parent, before, after, work, write)
  return shownNamed(knowledgeFile, 200, after, write)
}

/** Other bytes, or a new file: it waits for its text to be read, and what stood in the old one is not found any more. */
function replaced(
  place: NamedPlace,
  { name, kind, size, sha256 }: Sent,
  kept: KeptFile,
  parent: RecordState,
  before: RecordState | null,
  work: WorkingSet,
  write: WriteContext,
): Decision {
  const described = { name, mimeType: mediaTypes[kind], sizeBytes: size, sha256 }
  const waiting = { ...described, status: 'queued', error: null, contentId: kept.id }
  const start = { ...blank(knowledgeFile, {}, write), id: place.id, knowledgeBaseId: parent.id, fileId: place.name }
  const after = before === null ? { ...start, ...waiting } : raised(before, { ...before, ...waiting }, write)
  applyNamed(knowledgeFile, parent, before, after, work, write)
  return {
    ...shownNamed(knowledgeFile, 200, after, write),
    rows: [recordFile(kept, write.now), ...(before === null ? [] : [forgetFile(contentOf(before))])],
    jobs: [indexRequest(kept.id), ...(before === null ? [] : [removalRequest])],
  }
}
