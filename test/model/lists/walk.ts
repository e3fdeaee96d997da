import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Client } from '../../support/client.ts'
import type { History } from './history.ts'
import { pathOf, type Question } from './questions.ts'

/** One page, with the moments before it was asked for and after it had arrived. */
export interface Page {
  readonly sent: number
  readonly arrived: number
  readonly status: number
  readonly items: readonly JsonObject[]
  readonly meta: JsonObject
}

/** A question with all pages of its answer. */
export interface Walk {
  readonly question: Question
  readonly pages: readonly Page[]
}

/** More pages than a list can have here, even if each shows one record, or looks at one. */
export const mostPages = 500

/** Reads all pages, each behind the one before it. */
export async function walk(client: Client, question: Question, history: History): Promise<Walk> {
  const pages: Page[] = []
  for (let cursor = ''; pages.length < mostPages; ) {
    const sent = history.now()
    const { status, items, meta } = await client.get(`${pathOf(question)}${cursor}`)
    pages.push({ sent, arrived: history.now(), status, items, meta })
    if (typeof meta.nextCursor !== 'string') break
    cursor = `&cursor=${encodeURIComponent(meta.nextCursor)}`
  }
  return { question, pages }
}
