import { Actor, byApplication, type JobContext, Lookup, type Mutation, mutate } from '../../../kernel/index.ts'
import type { Transaction } from '../../../kernel/sql/index.ts'
import type { Passage } from '../extraction/passage.ts'
import { knowledgeBase } from '../knowledge-base.ts'
import { knowledgeFile } from '../knowledge-file.ts'
import { insertPassages, selectIndexed, setFileStatus } from './knowledge-index.sql.ts'
import { type FileWords, passageRows } from './passage-rows.ts'

/** The content of a file: its id in the file store. */
export interface Content {
  readonly id: string
  readonly fileId: string
  readonly baseId: string
}

/** How many passages of a content are stored, and how many the organization has. */
export interface Stored {
  readonly passages: number
  readonly ofOrganization: number
}

type Surroundings = Pick<JobContext, 'organizationId' | 'services'>
type Step = (transaction: Transaction) => Promise<unknown>

interface Change {
  readonly status: 'indexing' | 'ready' | 'failed'
  readonly error?: { readonly code: string; readonly message: string }
}

/**
 * Changes the status of the file that has the content. Resolves to the numbers of stored passages; null if no file has the content any
 * more.
 */
export async function changeIndex(
  content: Content,
  { status, error }: Change,
  context: Surroundings,
): Promise<Stored | null> {
  const { organizationId } = context
  const values = [organizationId, content.id, status, error === undefined ? null : JSON.stringify(error)]
  return write(content, context, transaction => transaction.query(setFileStatus, values))
}

/**
 * Stores passages that follow the first ones of the content. Resolves to false, and stores nothing, if the number of stored passages has
 * changed.
 */
export async function storePassages(
  content: Content,
  passages: readonly Passage[],
  first: number,
  file: FileWords,
  context: Surroundings,
): Promise<boolean> {
  const rows = passageRows(passages, first, file)
  const values = [context.organizationId, content.baseId, content.id, JSON.stringify(rows)]
  const stored = await write(content, context, transaction => transaction.query(insertPassages, values), first)
  return stored !== null
}

/**
 * Runs a step under the lock of the knowledge base, which the replacement or removal of a file takes too. Does nothing and resolves to null
 * if the content no longer belongs to a file, or if its number of passages is not `expected`.
 */
async function write(content: Content, context: Surroundings, step: Step, expected?: number): Promise<Stored | null> {
  const indexedPassages = Lookup.row(selectIndexed, [content.id])
  const mutation: Mutation<Stored | null, never> = {
    needs(needs) {
      needs.toChange(knowledgeBase, { id: content.baseId })
      needs.toLoadNested(knowledgeFile, content.fileId)
      needs.toLoad(indexedPassages)
    },
    decide(work) {
      const file = work.record(knowledgeFile.kind, content.fileId)
      const indexed = work.read(indexedPassages)
      const isOther = expected !== undefined && indexed?.passages !== expected
      if (file?.contentId !== content.id || isOther) return { result: null }
      return {
        result: { passages: Number(indexed?.passages), ofOrganization: Number(indexed?.ofOrganization) },
        async sweep(transaction) {
          await step(transaction)
          return {}
        },
      }
    },
  }
  const actor = Actor.of({ organizationId: context.organizationId, author: { ...byApplication, type: 'system' } })
  return mutate(mutation, actor, context.services)
}
