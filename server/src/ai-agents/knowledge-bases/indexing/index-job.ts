import { stat } from 'node:fs/promises'
import { UnreadableFile } from '../../../kernel/documents/index.ts'
import { copyLocally, type LocalCopy } from '../../../kernel/files/index.ts'
import { defineJob, type JobContext, type JobRequest, Overloaded, unattended } from '../../../kernel/index.ts'
import {
  type ReadFile,
  readingTime,
  type SandboxProgram,
  sandboxes,
  whenAborted,
} from '../../../kernel/sandbox/index.ts'
import type { ExtractionTask } from '../extraction/extraction-process.ts'
import { type FileKind, kindOfFile } from '../extraction/file-kind.ts'
import { readPassages } from '../extraction/read-passages.ts'
import { failures, Unindexable } from '../extraction/unindexable.ts'
import { knowledgeBounds } from '../knowledge-bounds.ts'
import { selectFileOfContent } from './knowledge-index.sql.ts'
import { languageOfFile } from './passage-rows.ts'
import { type Content, changeIndex, storePassages } from './store-passages.ts'

/**
 * Indexes the text of an uploaded file for search. The passages and their count are stored together, so after a crash a worker reads the
 * file again and stores the missing ones. The removal job cleans up a file that was replaced or removed meanwhile.
 */
export const indexJob = defineJob({
  name: 'knowledge_index',
  async run({ contentId }, context) {
    const content = await findContent(String(contentId), context)
    return content === null ? 'done' : indexContent(content, context)
  },
  async giveUp({ contentId }, context) {
    const content = await findContent(String(contentId), context)
    if (content !== null) await fail(content, 'internal_error', failures.internal_error, context)
  },
  async progress({ contentId }, context) {
    const content = await findContent(String(contentId), context)
    if (content === null) return null
    return { status: content.status, startedAt: null, finishedAt: null, counters: {}, done: 0, total: null }
  },
})

/** The job that indexes a content. */
export function indexRequest(contentId: string): JobRequest & { readonly key: string } {
  return { job: indexJob, payload: { contentId }, key: contentId }
}

type NamedContent = Content & { readonly name: string }
type Surroundings = Pick<JobContext, 'organizationId' | 'services'>

/** The file that has the content; null if none has. */
async function findContent(id: string, { organizationId, services }: Surroundings) {
  const values = [organizationId, id]
  const [row] = await services.database.query(selectFileOfContent, values, unattended(organizationId))
  if (row === undefined) return null
  return { id, fileId: String(row.id), baseId: String(row.baseId), name: String(row.name), status: String(row.status) }
}

/** A file whose passages are written to disk and not yet stored. */
interface Extracted {
  readonly copy: LocalCopy
  /** The path of the passages. */
  readonly result: string
  /** How many of them an earlier attempt has stored. */
  readonly stored: number
}

async function indexContent(content: NamedContent, context: JobContext): Promise<'done' | 'again'> {
  const { organizationId, services, signal } = context
  const waiting = { organizationId, spool: services.spool, whenGone: whenAborted(signal) }
  try {
    const extracted = await sandboxes.run('jobs', waiting, read => extract(content, read, context))
    if (extracted === null) return 'done'
    const { copy, result, stored } = extracted
    return await storeAll(content, result, stored, context).finally(copy.remove)
  } catch (error) {
    if (error instanceof UnreadableFile) return fail(content, error.reason, error.message, context)
    // The readers are busy with other files.
    if (error instanceof Overloaded && error.bound === 'processReaders') return 'again'
    throw error
  }
}

/** Writes the passages to disk; null if no file has the content any more. Throws `UnreadableFile` if it has no passages. */
async function extract(content: NamedContent, read: ReadFile, context: JobContext): Promise<Extracted | null> {
  const { organizationId, services } = context
  const stored = await changeIndex(content, { status: 'indexing' }, context)
  if (stored === null) return null
  const copy = await copyLocally({ organizationId, purpose: 'knowledge', id: content.id }, services)
  if (copy === null) throw new Unindexable('file_missing')
  try {
    const kind = await kindOfFile(copy.path, content.name)
    if (kind === null) throw new Unindexable('damaged')
    const result = `${copy.path}.passages`
    const count = await extractPassages({ kind, source: copy.path, result }, read)
    if (stored.ofOrganization - stored.passages + count > knowledgeBounds.organizationPassages.most)
      throw new Unindexable('no_room')
    return { copy, result, stored: stored.passages }
  } catch (error) {
    await copy.remove()
    throw error
  }
}

/** Stores the remaining passages. It ends early when the process is stopping. */
async function storeAll(
  content: NamedContent,
  result: string,
  first: number,
  context: JobContext,
): Promise<'done' | 'again'> {
  const portion = knowledgeBounds.knowledgeChunk.most
  const file = { name: content.name, language: await languageOfFile(readPassages(result, 0, portion)) }
  let number = first
  for await (const passages of readPassages(result, first, portion)) {
    if (context.signal.aborted) return 'again'
    if (!(await storePassages(content, passages, number, file, context))) return 'done'
    number += passages.length
  }
  await changeIndex(content, { status: 'ready' }, context)
  return 'done'
}

/** Marks the file as failed; agents find nothing in it. */
async function fail(content: Content, code: string, message: string, context: Surroundings): Promise<'done'> {
  await changeIndex(content, { status: 'failed', error: { code, message } }, context)
  return 'done'
}

const program: SandboxProgram = {
  path: 'ai-agents/knowledge-bases/extraction/extraction-process',
  memory: knowledgeBounds.knowledgeMemory.most,
}

interface Extraction {
  readonly kind: FileKind
  readonly source: string
  /** The path of the passages, which are lines of JSON. */
  readonly result: string
}

/**
 * Writes the passages of a file to disk, in the sandbox. Resolves to their number. Throws `UnreadableFile` with the reason if there are
 * none, and the errors of `Sandbox.run`.
 */
async function extractPassages({ kind, source, result }: Extraction, read: ReadFile): Promise<number> {
  const task: ExtractionTask = {
    kind,
    passages: knowledgeBounds.knowledgePassages.most,
    text: knowledgeBounds.knowledgeText.most,
  }
  const milliseconds = readingTime('jobs', (await stat(source)).size)
  const count = await read({ program, source, result, task, milliseconds })
  if (typeof count !== 'number') throw new Error('the process that reads a file has not counted its passages')
  return count
}
