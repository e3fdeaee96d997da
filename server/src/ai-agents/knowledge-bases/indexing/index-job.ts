import { setTimeout as sleep } from 'node:timers/promises'
import { copyLocally } from '../../../kernel/files/index.ts'
import { bounds, defineJob, type JobContext, type JobRequest, unattended } from '../../../kernel/index.ts'
import { kindOfFile } from '../extraction/file-kind.ts'
import { readPassages } from '../extraction/read-passages.ts'
import { runExtraction } from '../extraction/run-extraction.ts'
import { failures } from '../extraction/unindexable.ts'
import { selectFileOfContent } from './knowledge-index.sql.ts'
import { languageOfFile } from './passage-rows.ts'
import { type Content, changeIndex, storePassages } from './store-passages.ts'

/** How many files this process lets read now. */
let reading = 0

/** How long a file waits for others before it queues behind them again. */
const pauseMilliseconds = 250

/**
 * Makes the text of an uploaded file one that can be found. What is stored is counted with it, so whoever goes on after a crash
 * reads the file again and stores the rest. A file that was replaced or removed meanwhile is left to the removal.
 */
export const indexJob = defineJob({
  name: 'knowledge_index',
  async run({ contentId }, context) {
    if (reading >= bounds.processExtractions.most) {
      await sleep(pauseMilliseconds, undefined, { signal: context.signal }).catch(() => {})
      return 'again'
    }
    reading += 1
    try {
      const content = await findContent(String(contentId), context)
      return content === null ? 'done' : await indexContent(content, context)
    } finally {
      reading -= 1
    }
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

/** The request to index a content. */
export function indexRequest(contentId: string): JobRequest & { readonly key: string } {
  return { job: indexJob, payload: { contentId }, key: contentId }
}

type Surroundings = Pick<JobContext, 'organizationId' | 'services'>

/** The file that has the content; null when none has. */
async function findContent(id: string, { organizationId, services }: Surroundings) {
  const values = [organizationId, id]
  const [row] = await services.database.query(selectFileOfContent, values, unattended(organizationId))
  if (row === undefined) return null
  return { id, fileId: String(row.id), baseId: String(row.baseId), name: String(row.name), status: String(row.status) }
}

async function indexContent(content: Content & { name: string }, context: JobContext): Promise<'done' | 'again'> {
  const { organizationId, services, signal } = context
  const stored = await changeIndex(content, { status: 'indexing' }, context)
  if (stored === null) return 'done'
  const copy = await copyLocally({ organizationId, purpose: 'knowledge', id: content.id }, services)
  if (copy === null) return fail(content, 'file_missing', failures.file_missing, context)
  try {
    const kind = await kindOfFile(copy.path, content.name)
    if (kind === null) return await fail(content, 'damaged', failures.damaged, context)
    const result = `${copy.path}.passages`
    const told = await runExtraction({ kind, source: copy.path, result }, signal)
    if (told === null) return 'again'
    if (!('count' in told)) return await fail(content, told.code, told.message, context)
    if (stored.ofOrganization - stored.passages + told.count > bounds.organizationPassages.most)
      return await fail(content, 'no_room', failures.no_room, context)
    return await storeAll(content, result, stored.passages, context)
  } finally {
    await copy.remove()
  }
}

/** Stores the passages that are not stored yet. It ends early when the process is to stop. */
async function storeAll(
  content: Content & { name: string },
  result: string,
  first: number,
  context: JobContext,
): Promise<'done' | 'again'> {
  const portion = bounds.knowledgeChunk.most
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

/** Marks the file failed; agents find nothing of it. */
async function fail(content: Content, code: string, message: string, context: Surroundings): Promise<'done'> {
  await changeIndex(content, { status: 'failed', error: { code, message } }, context)
  return 'done'
}
