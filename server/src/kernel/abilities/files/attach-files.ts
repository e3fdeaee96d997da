import { defineOperation } from '../../define-operation.ts'
import { discardDropped } from '../../discard-dropped.ts'
import { Refusal, unprocessable, versionConflict } from '../../errors/index.ts'
import { type FileName, type KeptFile, recordFile } from '../../files/index.ts'
import { expectedVersionParameter } from '../../input/index.ts'
import { limits } from '../../limits/index.ts'
import { type Decision, type Mutation, mutate } from '../../mutation.ts'
import type { Operation, Outcome, Request } from '../../operation.ts'
import { presentingWrite } from '../../record/codec.ts'
import { type Nested, topOf } from '../../record/define-nested.ts'
import type { RecordState, WriteContext } from '../../record/resource.ts'
import type { Services } from '../../services.ts'
import { blank, writeBehind } from '../../write/decide.ts'
import { type FileRoom, fileRoom, needFileRoom } from '../../write/file-quota.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { ancestorsIn, collectionPath, needAncestors, topAddress } from '../nested/ancestry.ts'
import { nestedName } from '../nested/create-nested.ts'
import { nestedSchema, nestedWriteScopes, representNested } from '../nested/nested-answer.ts'
import { reachTop } from '../nested/reach-top.ts'
import { refusalOfVersion, refusalsOfOwner } from '../refusals.ts'
import { attachMeta, type FailedFile } from './failed-files.ts'
import { dropFailed, keepFiles } from './keep-files.ts'
import { projectFiles } from './project-files.ts'

/**
 * `POST …/files?expectedVersion=`: compare-and-set on the record, then all files of the request in one step. Files that
 * fail stand in `meta.failed`, and the others are kept; 422 if none is (specification, "Attachments").
 */
export function attachFiles(attachment: Nested): Operation {
  const { kind } = attachment.parent.resource
  return defineOperation({
    id: `${nestedName(attachment)}.attach`,
    method: 'POST',
    path: collectionPath(attachment),
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

/** What a form may have beside its files (contract section 14). */
const formBytes = 1024 * 1024

/**
 * Decides twice: before the files are stored, so that a refused or repeated request stores nothing, and afterwards for
 * good. In between no lock and no connection is held.
 */
async function attach(attachment: Nested, request: Request, services: Services): Promise<Outcome | Refusal> {
  const { writer } = request
  const { fitting, tooLarge } = dropFailed(request.files)
  let dropped: readonly FileName[] = []
  const onRoom = (room: FileRoom) => {
    dropped = room.dropped
  }
  const decideOn = (kept: readonly KeptFile[] | null, failed: readonly FailedFile[]) => {
    const sizes = kept?.map(({ size }) => size) ?? fitting.map(({ file }) => file.size)
    return mutate(attaching({ attachment, request, sizes, kept, failed, onRoom }), writer, services)
  }
  const first = await decideOn(fitting.length === 0 ? [] : null, tooLarge)
  if (first !== mayBeStored) return first

  const { kept, failed } = await keepFiles(fitting, request, services)
  // If this throws, nobody may know whether the files are recorded. Those that are not are swept.
  const outcome = await decideOn(kept, [...tooLarge, ...failed])
  if (outcome instanceof Refusal || outcome.replayed === true) await services.files.discard(kept)
  else await discardDropped(dropped, request, services)
  return outcome
}

/** Stands for the decision that the files of a request may be stored. No client sees it. */
const mayBeStored = new Refusal(500, 'internal_error')

interface Attaching {
  readonly attachment: Nested
  readonly request: Request
  /** Bytes of each file that comes. */
  readonly sizes: readonly number[]
  /** The same files when they are stored; null before. */
  readonly kept: readonly KeptFile[] | null
  readonly failed: readonly FailedFile[]
  /** Called with each decision that attaches the files. */
  onRoom(room: FileRoom): void
}

function attaching({ attachment, request, sizes, kept, failed, onRoom }: Attaching): Mutation {
  const { path, query, writer } = request
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return {
    ...(kept === null ? { looksOnly: true } : {}),
    needs(needs) {
      needAncestors(needs, attachment, path)
      needFileRoom(needs, bytes)
    },
    decide(work, write) {
      const ancestors = ancestorsIn(work, attachment, path)
      if (ancestors instanceof Refusal) return ancestors
      const { top } = ancestors
      if (top.version !== query.expectedVersion) return versionConflict(top.version)
      const refusal = refuseNumber(attachment, Number(top.filesCount) + sizes.length) ?? refuseNone(kept, failed)
      if (refusal !== null) return refusal
      const room = fileRoom('/files', bytes, writer.organizationId, work)
      if (room instanceof Refusal) return room
      if (kept === null) return mayBeStored
      onRoom(room)
      const decision = decided(attachment, top, kept, failed, work, write)
      return { ...decision, rows: [...kept.map(file => recordFile(file, write.now)), ...room.rows] }
    },
  }
}

function decided(
  attachment: Nested,
  top: RecordState,
  kept: readonly KeptFile[],
  failed: readonly FailedFile[],
  work: WorkingSet,
  write: WriteContext,
): Decision {
  const attached = kept.map(file => attachmentOf(attachment, top, file, writeBehind(top, write)))
  const steps = attached.map(after => ({ resource: attachment, before: null, after }))
  const effect = reachTop(attachment, steps, [top], write)
  work.apply(effect)
  return {
    status: 201,
    data: attached.map(record => representNested(attachment, record, [], presentingWrite(write))),
    meta: {
      version: effect.after?.version ?? top.version,
      failed: failed.toSorted((one, other) => one.index - other.index),
    },
    shown: attached.map(record => ({ resource: attachment, record })),
  }
}

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

/** 422 when the record would have too many files. */
function refuseNumber({ most }: Nested, count: number): Refusal | null {
  if (most === null || count <= most) return null
  return unprocessable([{ path: '/files', rule: 'max_items', message: `There can be ${most} at most` }], {
    limit: most,
  })
}

/** 422 when no file of the request can be attached. */
function refuseNone(kept: readonly KeptFile[] | null, failed: readonly FailedFile[]): Refusal | null {
  if (kept === null || kept.length > 0) return null
  const issues = failed.map(({ index, code, message }) => ({ path: `/files/${index}`, rule: code, message }))
  return unprocessable(issues)
}
