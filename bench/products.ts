import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { isObject } from '../server/src/kernel/schema/index.ts'
import { Database } from '../server/src/kernel/sql/index.ts'
import type { Cleanup } from './cleanup.ts'
import { median } from './compare.ts'
import { costOf } from './cost.ts'
import { fillProducts } from './fill-products.ts'
import type { Options } from './options.ts'
import { startProduct } from './processes.ts'
import { productPairs, type Send, type Work } from './product-pairs.ts'
import { makeScene } from './scene.ts'
import { postmasterOf } from './usage.ts'

/** Nearly as many as a set may have, to leave room for those created meanwhile; and as many contacts. */
const records = 95_000
/** Requests of one round. */
const repeat = 200
/** The highest allowed ratio to the cost of a contact. */
const most = 1.5

const sets = '/api/v1/ai-agents/external/products-sets'

/**
 * Compares the cost of requests about products in a nearly full set with the same requests about contacts: processor time of server and
 * database per request, with sequential requests, alternately, as the median of the rounds. The API reads a single product by its id only
 * in order to write it, so that pair is a replacement that changes nothing and an upsert of a contact by its key that changes nothing.
 */
export async function measureProducts(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-products-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const postmaster = await postmasterOf(dataDirectory)
  console.log(`filling ${records} contacts and products`)
  const scene = await makeScene(connection, { contacts: records, organizations: 1, connections: 1 }, cleanup)
  const [member] = await scene.connections(4 * repeat)
  if (member === undefined) throw new Error('the scene has no application')
  const { pid, url } = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
  const send = sender(url, member.token)
  const { data: set } = await send('POST', sets, { name: 'Spring catalogue' })
  if (!isObject(set)) throw new Error('no set was made')
  const database = new Database({ location: { url: scene.url }, connections: 1 })
  cleanup.add(() => database.close())
  await fillProducts(database, member.organizationId, String(set.id), records)

  const millisecondsOf = async (work: Work) => {
    const { cpu } = await costOf(repeat, { pid, postmaster }, async () => {
      for (let count = 0; count < repeat; count += 1) await work()
    })
    return cpu / 1000
  }
  console.log('processor time of a request in ms: for a contact, for a product, and the ratio')
  const pairs = productPairs(send, member.targets, { path: `${sets}/${String(set.id)}/products`, count: records })
  for (const [name, contact, product] of pairs) {
    // Frequently run code is compiled by then.
    for (const work of [contact, product, contact, product]) await millisecondsOf(work)
    const rounds: { readonly contact: number; readonly product: number }[] = []
    for (let round = 0; round < options.rounds; round += 1)
      rounds.push({ contact: await millisecondsOf(contact), product: await millisecondsOf(product) })
    const ratio = median(rounds.map(each => each.product / each.contact))
    const shown = (['contact', 'product'] as const).map(of =>
      median(rounds.map(each => each[of]))
        .toFixed(2)
        .padStart(7),
    )
    const verdict = `${ratio <= most ? 'meets' : 'above'} ${most.toFixed(2)}`
    console.log(`  ${name.padEnd(36)}${shown.join('')}  ${ratio.toFixed(2)} (${verdict})`)
  }
}

function sender(url: string, token: string): Send {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const content: unknown = await answer.json()
    if (answer.ok && isObject(content)) return content
    throw new Error(`${answer.status} for ${method} ${path}: ${JSON.stringify(content)}`)
  }
}
