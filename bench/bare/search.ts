import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { findStatement } from '../../server/src/crm/search/find.sql.ts'
import { type KnownWords, knownWordsStatement } from '../../server/src/crm/search/known-words.sql.ts'
import { similarStatement } from '../../server/src/crm/search/similar.sql.ts'
import { likelyWords } from '../../server/src/crm/search/similar-words.ts'
import { divideWords, searchTerms } from '../../server/src/kernel/index.ts'
import { type Bind, binding } from '../../server/src/kernel/sql/index.ts'
import { resources } from '../../server/src/modules.ts'
import { listContacts, type NamedStatement } from './statements.ts'
import { type Row, run } from './transaction.ts'

interface Asked {
  readonly Querystring: { readonly q: string; readonly limit: string }
}

/** The searches of the bench: only the statements of the product. */
export function addSearches(server: FastifyInstance, pool: pg.Pool): void {
  server.get<Asked>('/api/v1/crm/search', async ({ headers, query: { q, limit } }) => {
    const { asked } = divideWords(q, () => 0)
    const texts = { contactData: true, customFields: true }
    const kinds = resources
      .filter(({ kind }) => ['contact', 'company', 'deal', 'task'].includes(kind))
      .map(resource => {
        const own = { ...texts, contactData: 'contactData' in resource.fields }
        return { resource, texts: own, terms: searchTerms(q, asked, own, 'US'), others: [] }
      })
    const ask = async <R extends Row>(make: (bind: Bind) => NamedStatement | null, ...more: unknown[]) => {
      const values: unknown[] = [headers['x-organization'], ...more]
      const made = make(binding(values))
      const rows = made === null ? [] : await run<R>(pool, { name: '', text: made.text }, values)
      return rows.filter(({ kind }) => kind !== null)
    }
    const page = [headers['x-application'], Number(limit) + 1]
    const found = await ask(bind => findStatement(kinds, 'indexes', [], null, [], bind), ...page)
    if (found.length >= Number(limit)) return { data: found }
    const words = likelyWords(q)
    if (words.every(({ similar }) => similar.length === 0)) return { data: found }
    const known = await ask<KnownWords>(bind => knownWordsStatement(kinds, words, bind))
    return {
      data: [
        ...found,
        ...(await ask(bind => similarStatement(kinds, 'indexes', [], words, known, null, bind), ...page)),
      ],
    }
  })
}

/** A list with a search for one word, instead of the list of all contacts. */
export function searchContacts(pool: pg.Pool, values: readonly unknown[], word: string): Promise<unknown[]> {
  const condition = `c.organization_id = $1 and (c.search_names like $4 or c.search_contact_data like $4)`
  const text = listContacts.text.replace('c.organization_id = $1', condition)
  return run(pool, { name: '', text }, [...values, `%${word.toLowerCase()}%`])
}
