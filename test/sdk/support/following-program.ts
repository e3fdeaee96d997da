import { appendFileSync, readFileSync, truncateSync } from 'node:fs'
import { Crm } from '../../../packages/sdk/src/index.ts'

// A program of an integrator: keeps a copy of the contacts in a journal, a line for each page of the feed. A line that was not written to
// its end before the program died is removed.

const [journal = ''] = process.argv.slice(2)
const bytes = readFileSync(journal)
const end = bytes.lastIndexOf('\n') + 1
truncateSync(journal, end)
const lastLine = bytes.subarray(bytes.lastIndexOf('\n', end - 2) + 1, end)
const { cursor: stored } = JSON.parse(lastLine.toString())
for await (const { events, cursor, reset } of Crm.fromEnvironment().changes.follow(stored, { include: ['record'] })) {
  if (reset !== null) throw new Error('events are gone')
  const changes = events.map(({ seq, resourceId, record }) => ({ seq, resourceId, record }))
  appendFileSync(journal, `${JSON.stringify({ cursor, changes })}\n`)
  console.log(`stored ${events.at(-1)?.seq}`)
}
