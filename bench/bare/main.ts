import cluster from 'node:cluster'
import { once } from 'node:events'
import Fastify from 'fastify'
import pg from 'pg'
import { addRoutes } from './routes.ts'

/**
 * The baseline: Fastify and pg doing only the product's database work: load, decide, save in one transaction. It has no authentication,
 * limits, validation, rules, replay, retry or redaction; it returns the rows as JSON. The additional cost of the product is the price of
 * these features. It has the same number of connections with the same settings as the product, and pipelines as the product does.
 */
async function startBare(connectionString: string, max: number): Promise<string> {
  const text = (value: string) => value
  const joins = ['enable_hashjoin=off', 'enable_mergejoin=off']
  const session = ['timezone=UTC', 'jit=off', 'enable_seqscan=off', ...joins, 'plan_cache_mode=force_generic_plan']
  const poolOf = (connections: number, settings: readonly string[]) => {
    const pool = new pg.Pool({
      connectionString,
      max: connections,
      pipeline: true,
      options: settings.map(setting => `-c ${setting}`).join(' '),
      // Times stay text, which is cheapest.
      types: { getTypeParser: (oid, format) => (oid === timestamptz ? text : pg.types.getTypeParser(oid, format)) },
    })
    pool.on('error', () => {})
    return pool
  }
  const server = Fastify()
  addRoutes(server, poolOf(max, session), poolOf(4, ['timezone=UTC', 'jit=off', 'enable_seqscan=off']))
  return server.listen({ host: '127.0.0.1', port: 0 })
}

const timestamptz = 1184

interface Start {
  readonly url: string
  readonly connections: number
  readonly processes: number
}

const partVariable = 'BARE_PART'

/** Starts that many processes that share one port. */
async function startSeveral({ processes, ...start }: Start): Promise<string> {
  const answers = Array.from({ length: processes }, async () => {
    // Passed in the environment, not as a message: messages sent before the process listens are lost.
    const worker = cluster.fork({ [partVariable]: JSON.stringify({ ...start, processes: 1 }) })
    const [answer]: { address: string }[] = await once(worker, 'message')
    return answer?.address ?? ''
  })
  const [address = ''] = await Promise.all(answers)
  return address
}

function begin(start: Start): void {
  const started = start.processes === 1 ? startBare(start.url, start.connections) : startSeveral(start)
  started.then(
    address => process.send?.({ address }),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
}

const part = process.env[partVariable]
if (part === undefined) process.on('message', begin)
else begin(JSON.parse(part))
process.on('disconnect', () => process.exit(0))
process.on('SIGINT', () => {})
