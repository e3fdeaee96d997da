import { Pool } from 'pg'
import { carry } from './carry.ts'

const { CRM_BASE_URL: baseUrl = 'http://127.0.0.1:3000', CRM_TOKEN: token = '' } = process.env
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort())

// PGHOST, PGDATABASE and the other usual variables say where the queue is.
const pool = new Pool()
await carry({ baseUrl, token }, pool, stopping.signal).catch((error: unknown) => {
  if (!stopping.signal.aborted) throw error
})
await pool.end()
