import { Refusal, unprocessable, versionConflict } from '../../errors/index.ts'
import { type KeptFile, recordFile } from '../../files/index.ts'
import { expectedVersionParameter } from '../../input/index.ts'
import { limits } from '../../limits/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import { defineOperation, type Operation, type Outcome, type Request } from '../../operation.ts'
import { type Lookup, type Nested, type RecordState, topOf, type WriteContext } from '../../record/index.ts'
import type { Services } from '../../services.ts'
import { DecideAgain, type Row } from '../../sql/index.ts'
import { blank, writeBehind } from '../../write/decide.ts'
import { type FileRoom, fileRoom, fileUse, needFileUse } from '../../write/file-quota.ts'
import type { Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { decideOnly } from '../../write.ts'
import { ancestorsIn, needAncestors, topAddress } from '../nested/ancestry.ts'
import { nestedName } from '../nested/create-nested.ts'
import { nestedSchema, nestedWriteScopes, representNested } from '../nested/nested-answer.ts'
import { placeIn } from '../nested/nested-place.ts'
import { reachTop } from '../nested/reach-top.ts'
import { refusalOfVersion, refusalsOfOwner } from '../refusals.ts'
import { attachMeta, type FailedFile } from './failed-files.ts'
import { dropFailed, keepFiles } from './keep-files.ts'
import { projectFiles } from './project-files.ts'
import { storeAndMutate } from './store-and-mutate.ts'

/**
 * `POST …/files?expectedVersion=`: compare-and-set on the record, then all files of the request in one step. Files that fail are listed in
 * `meta.failed`, and the others are kept; 422 if all fail (specification, "Attachments").
 */
export function attachFiles(attachment: Nested): Operation {
  const { kind } = attachment.parent.resource
  return defineOperation({
    id: `${nestedName(attachment)}.attach`,
    method: 'POST',
    path: attachment.path,
    addresses: topAddress(attachment),
    summary: `Attach files to a ${kind}`,
    description: `expectedVersion is that of the ${kind}, which rises by one for all files together.`,
    scopes: nestedWriteScopes(attachment),
    success: [201],
    query: { expectedVersion: { ...expectedVersionParameter(), required: true } },
    body: {
      form: 'multipart',
      limit: limits.attachmentFiles * limits.attachmentFileBytes + formBytes,
      files: {
        files: {
          description: 'The files. One that is too large by itself fails alone.',
          required: true,
          most: limits.attachmentFiles,
          maxBytes: limits.attachmentFileBytes,
        },
      },
      texts: {},
    },
    refuses: [
      ...refusalsOfOwner(attachment),
      refusalOfVersion(topOf(attachment)),
      [
        'unprocessable',
        `The ${kind} would have too many files, none of the files can be kept, or the quota of files is used up.`,
      ],
    ],
    answer: { data: { type: 'array', items: nestedSchema(attachment) }, meta: attachMeta(attachment) },
    project: (data, caller, presenting) => projectFiles(attachment, data, caller, presenting),
    execute: (request, services) => attach(attachment, request, services),
  })
}

/** The size of a form beside its files (contract section 14). */
const formBytes = 1024 * 1024

async function attach(attachment: Nested, request: Request, services: Services): Promise<Outcome | Refusal> {
  const { actor } = request
  const { fitting, tooLarge } = dropFailed(request.files)
  const expected = { attachment, request, sizes: fitting.map(({ file }) => file.size) }
  return storeAndMutate(
    {
      mayStore: () => decideOnly(previewing(expected), actor, services),
      async store() {
        const { kept, failed } = await keepFiles(fitting, request, services)
        return { kept, failed: [...tooLarge, ...failed] }
      },
      filesOf: ({ kept }) => kept,
      mutation: stored => attaching(expected, stored),
      answer: ({ attached, failed, version }, write) => ({
        status: 201,
        data: attached.map(record => representNested(attachment, record, [], write)),
        meta: { version, failed: failed.toSorted((one, other) => one.index - other.index) },
        shown: attached.map(record => ({ resource: attachment, record })),
      }),
    },
    actor,
    services,
  )
}

interface Attaching {
  readonly attachment: Nested
  readonly request: Request
  /** The size of each file in bytes. */
  readonly sizes: readonly number[]
}

/** The stored files of a request, and those that failed. */
interface StoredFiles {
  readonly kept: readonly KeptFile[]
  readonly failed: readonly FailedFile[]
}

/** The result of attaching files. */
interface Attached extends Pick<StoredFiles, 'failed'> {
  readonly attached: readonly RecordState[]
  readonly version: number
}

/** Whether the files of a request may be stored, as far as the state of the record shows. */
function previewing(asked: Attaching): Mutation<true> & { readonly looksOnly: true } {
  return {
    looksOnly: true,
    needs: needs => needRoomFor(asked, needs),
    decide(work) {
      const room = roomFor(asked, work)
      return room instanceof Refusal ? room : { result: true }
    },
  }
}

function attaching(asked: Attaching, stored: StoredFiles | null): Mutation<Attached> {
  const { attachment } = asked
  const sizes = stored === null ? asked.sizes : stored.kept.map(({ size }) => size)
  return {
    needs: needs => needRoomFor(asked, needs),
    decide(work, write) {
      const found = roomFor({ ...asked, sizes }, work)
      if (found instanceof Refusal) return found
      if (stored === null) throw new DecideAgain('files that were refused before may be stored now')
      const { kept, failed } = stored
      if (kept.length === 0) return refuseNone(failed)
      const { top, room } = found
      const attached = kept.map(file => attachmentOf(attachment, top, file, writeBehind(top, write)))
      const steps = attached.map(after => ({ resource: attachment, before: null, after }))
      const effect = reachTop(attachment, steps, [top], write)
      work.apply(effect)
      return {
        result: { attached, failed, version: effect.after?.version ?? top.version },
        rows: [...kept.map(file => recordFile(file, write.now)), ...room.rows],
        drops: room.dropped,
      }
    },
  }
}

function needRoomFor({ attachment, request: { path }, sizes }: Attaching, needs: Needs): void {
  needAncestors(needs, attachment, path)
  if (attachment.countedIn === undefined) needs.toLoad(attachedTo(attachment, path))
  needFileUse(needs, fileUse(bytesOf(sizes)))
}

/** Counts the files of a record that does not store their number. */
function attachedTo(attachment: Nested, path: Request['path']): Lookup<Row> {
  return placeIn(attachment, path[attachment.parent.parameter], undefined, null)
}

/** The record, and room for the files; or a refusal by gates 10 to 15. */
function roomFor(
  { attachment, request: { path, query, actor }, sizes }: Attaching,
  work: WorkingSet,
): { readonly top: RecordState; readonly room: FileRoom } | Refusal {
  const ancestors = ancestorsIn(work, attachment, path)
  if (ancestors instanceof Refusal) return ancestors
  const { top } = ancestors
  if (top.version !== query.expectedVersion) return versionConflict(top.version)
  const tooMany = refuseNumber(attachment, filesOf(attachment, top, path, work) + sizes.length)
  if (tooMany !== null) return tooMany
  const bytes = bytesOf(sizes)
  const room = fileRoom('/files', bytes, actor.organizationId, work.read(fileUse(bytes)))
  return room instanceof Refusal ? room : { top, room }
}

function filesOf(attachment: Nested, top: RecordState, path: Request['path'], work: WorkingSet): number {
  const { countedIn } = attachment
  return Number(countedIn === undefined ? (work.read(attachedTo(attachment, path)).count ?? 0) : top[countedIn])
}

const bytesOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)

function attachmentOf(attachment: Nested, top: RecordState, file: KeptFile, write: WriteContext): RecordState {
  return {
    ...blank(attachment, {}, write),
    [attachment.parent.member]: top.id,
    id: file.id,
    name: file.name,
    mimeType: file.mediaType,
    sizeBytes: file.size,
    sha256: file.sha256,
    createdByUuid: write.author.uuid,
    applicationId: write.applicationId,
  }
}

/** 422 if the record would have too many files. */
function refuseNumber({ most }: Nested, count: number): Refusal | null {
  if (most === null || count <= most) return null
  return unprocessable([{ path: '/files', rule: 'max_items', message: `There can be ${most} at most` }], {
    limit: most,
  })
}

/** 422 if no file of the request can be attached. */
function refuseNone(failed: readonly FailedFile[]): Refusal {
  return unprocessable(failed.map(({ index, code, message }) => ({ path: `/files/${index}`, rule: code, message })))
}
