import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { expect, test } from 'vitest'
import { Database, statement } from '../../server/src/kernel/sql/index.ts'
import { demoClient } from '../process/support/installations.ts'
import { postmasterOf, type Server, sendSignal, useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const interruptions = 3

const countRecords = statement(
  'crash_count_records',
  `select (select count(*) from organizations) as organizations, (select count(*) from companies) as companies,
          (select count(*) from contacts) as contacts, (select count(*) from deals) as deals,
          (select count(*) from tasks) as tasks, (select count(*) from tasks where tag_ids <> '{}') as tagged,
          (select count(*) from stages) as stages, (select count(*) from tags) as tags,
          (select count(*) from operators) as operators, (select count(*) from custom_field_definitions) as fields,
          (select count(*) from deal_stage_spans where left_at is null) as spans`,
)

/** What is in the embedded database, whether a server runs on it or not. */
async function contentsOf(folder: string) {
  const { connection, stop } = await openEmbeddedPostgres({ dataDirectory: folder })
  const database = new Database({ location: connection, connections: 1 })
  const rows = await database.query(countRecords, [])
  await database.close()
  await stop()
  return rows[0]
}

test('a first start that is killed again and again is completed by the one that is not', async () => {
  const expected = await contentsOf(await processes.startedBefore())

  const folder = await processes.folder()
  for (let index = 0; index < interruptions; index += 1) {
    const program = processes.start(['serve'], { CRM_DATA_DIR: folder, PORT: '0' })
    // Later each time, because each gets further than the one before.
    await sleep(random.between(250, 900) * (index + 1))
    const postmaster = await postmasterOf(folder)
    await program.end('SIGKILL')
    if (postmaster !== null && random.next() < 0.5) sendSignal(postmaster, 'SIGKILL')
  }
  const server: Server = await processes.serve({ CRM_DATA_DIR: folder })
  expect(await contentsOf(folder)).toEqual(expected)
  expect((await (await demoClient(server, folder)).get('/deals?limit=1')).status).toBe(200)
  expect((await server.end('SIGTERM')).status).toBe(0)
})
