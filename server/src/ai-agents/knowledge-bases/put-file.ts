import { forgetFile, type KeptFile, recordFile } from '../../kernel/files/index.ts'
import {
  answerNamed,
  applyNamed,
  decideOnly,
  defineOperation,
  limits,
  type Mutation,
  type NamedPlace,
  type Needs,
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
  storeAndMutate,
  type WriteContext,
} from '../../kernel/index.ts'
import { violates } from '../../kernel/schema/index.ts'
import { DecideAgain } from '../../kernel/sql/index.ts'
import {
  blank,
  type FileRoom,
  fileRoom,
  fileUse,
  needFileUse,
  raised,
  type WorkingSet,
} from '../../kernel/write/index.ts'
import { type FileKind, kindOfFile, mediaTypes } from './extraction/file-kind.ts'
import { indexRequest } from './indexing/index-job.ts'
import { removalRequest } from './indexing/removal-job.ts'
import { knowledgeBytes } from './knowledge-bases.sql.ts'
import { knowledgeBounds } from './knowledge-bounds.ts'
import { contentOf, knowledgeFile } from './knowledge-file.ts'

const mebibyte = 1024 * 1024

/** An uploaded file and its detected format. */
interface Sent {
  readonly size: number
  readonly sha256: string
  readonly name: string
  readonly kind: FileKind
}

/** `PUT /knowledge-bases/:kbId/files/:fileId`: creates a file, or replaces its content (contract section 13.1). */
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

async function put(request: Request, services: Services): Promise<Success | Refusal> {
  const {
    files: [file],
    actor,
  } = request
  if (file === undefined) throw new Error('an upload has no file')
  if (file.tooLarge) return refuse('payload_too_large', { limitBytes: limits.knowledgeFileBytes })
  const { path, size, sha256, fileName: name } = file
  const kind = await kindOfFile(path, name)
  const sent = kind === null ? null : { size, sha256, name, kind }
  const place = placeOf(knowledgeFile, request)
  const { organizationId } = actor
  return storeAndMutate(
    {
      mayStore: () => decideOnly(previewing(place, sent), actor, services),
      store() {
        const mediaType = kind === null ? file.mediaType : mediaTypes[kind]
        const about = { organizationId, purpose: 'knowledge', name, mediaType } as const
        return services.files.keep({ ...about, source: { path, size, sha256 } })
      },
      filesOf: kept => [kept],
      mutation: kept => putting(place, sent, kept),
      isRecorded: ({ isNew }) => isNew,
      answer: ({ record }, write) => answerNamed(knowledgeFile)(record, write),
    },
    actor,
    services,
  )
}

/** The file, and whether its content is new. */
interface Put {
  readonly record: RecordState
  readonly isNew: boolean
}

/** Whether to store the file: not if it is refused, nor if its content is unchanged. */
function previewing(place: NamedPlace, sent: Sent | null): Mutation<boolean> & { readonly looksOnly: true } {
  return {
    looksOnly: true,
    needs: needs => needPlace(needs, place, sent),
    decide(work, write) {
      const found = findPlace(place, sent, work, write)
      return found instanceof Refusal ? found : { result: found.isNew }
    },
  }
}

function putting(place: NamedPlace, sent: Sent | null, kept: KeptFile | null): Mutation<Put> {
  return {
    needs: needs => needPlace(needs, place, sent),
    decide(work, write) {
      const found = findPlace(place, sent, work, write)
      if (found instanceof Refusal) return found
      const { sent: file, parent, record } = found
      if (!found.isNew)
        return { result: { record: renamed(parent, found.record, file.name, work, write), isNew: false } }
      if (kept === null) throw new DecideAgain('a file may be stored that was refused before')
      return {
        result: { record: replaced(place, file, kept, parent, record, work, write), isNew: true },
        rows: [
          recordFile(kept, write.now),
          ...(record === null ? [] : [forgetFile(contentOf(record))]),
          ...found.room.rows,
        ],
        jobs: [indexRequest(kept.id), ...(record === null ? [] : [removalRequest])],
        drops: found.room.dropped,
      }
    },
  }
}

function needPlace(needs: Needs, place: NamedPlace, sent: Sent | null): void {
  needNamed(needs, knowledgeFile, place)
  needs.toAdd(knowledgeFile)
  if (sent !== null) needFileUse(needs, fileUse(sent.size))
  needs.toLoad(knowledgeBytes)
}

/** The current state of the file's id, and the room that is made for the new content. */
type FoundPlace = { readonly sent: Sent; readonly parent: RecordState } & (
  | { readonly isNew: true; readonly record: RecordState | null; readonly room: FileRoom }
  /** The content is unchanged. */
  | { readonly isNew: false; readonly record: RecordState }
)

function findPlace(
  place: NamedPlace,
  sent: Sent | null,
  work: WorkingSet,
  { organizationId }: WriteContext,
): FoundPlace | Refusal {
  const found = namedRecord(knowledgeFile, place, work)
  if (found instanceof Refusal) return found
  const { parent, record } = found
  if (sent === null) return unknownKind()
  if (record?.sha256 === sent.sha256 && record.status !== 'failed') return { isNew: false, sent, parent, record }
  const refusal = refuseMore(parent, record, sent, work.read(knowledgeBytes))
  if (refusal !== null) return refusal
  const more = sent.size - Number(record?.sizeBytes ?? 0)
  const room = fileRoom('/file', more, organizationId, work.read(fileUse(sent.size)))
  return room instanceof Refusal ? room : { isNew: true, sent, parent, record, room }
}

function unknownKind(): Refusal {
  const message = 'The file is none of PDF, DOCX, XLSX, HTML, Markdown, CSV and plain text, or it has a password'
  return violates('/file', 'not_supported', message)
}

/** 422 if the knowledge base would have too many files, or the organization too many bytes. */
function refuseMore(parent: RecordState, record: RecordState | null, sent: Sent, bytes: number): Refusal | null {
  const limit = knowledgeBounds.knowledgeFiles.most
  if (record === null && Number(parent.filesCount) >= limit)
    return violates('', 'max_items', `A knowledge base has ${limit} files at most: delete one first`, { limit })
  const most = knowledgeBounds.organizationKnowledgeBytes.most
  if (bytes - Number(record?.sizeBytes ?? 0) + sent.size <= most) return null
  return violates('/file', 'max_bytes', `The files of all knowledge bases can have ${most} bytes at most`, {
    limit: most,
  })
}

/** The content is unchanged: at most the name is new. */
function renamed(
  parent: RecordState,
  before: RecordState,
  name: string,
  work: WorkingSet,
  write: WriteContext,
): RecordState {
  if (before.name === name) return before
  const after = raised(before, { ...before, name }, write)
  applyNamed(knowledgeFile, parent, before, after, work, write)
  return after
}

/** A new file or new content: it waits to be indexed, and searches no longer find the old content. */
function replaced(
  place: NamedPlace,
  { name, kind, size, sha256 }: Sent,
  kept: KeptFile,
  parent: RecordState,
  before: RecordState | null,
  work: WorkingSet,
  write: WriteContext,
): RecordState {
  const described = { name, mimeType: mediaTypes[kind], sizeBytes: size, sha256 }
  const waiting = { ...described, status: 'queued', error: null, contentId: kept.id }
  const start = { ...blank(knowledgeFile, {}, write), id: place.id, knowledgeBaseId: parent.id, fileId: place.name }
  const after = before === null ? { ...start, ...waiting } : raised(before, { ...before, ...waiting }, write)
  applyNamed(knowledgeFile, parent, before, after, work, write)
  return after
}
