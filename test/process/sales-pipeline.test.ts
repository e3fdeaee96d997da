import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { createOperator, createPipeline, setOrganization } from '../../server/src/settings/index.ts'
import { root } from '../support/compiled.ts'
import { useProcesses } from '../support/process.ts'
import { administrationOf, type Installation, installationOn } from './support/installations.ts'

const processes = useProcesses()

const tables: Readonly<Record<string, readonly string[]>> = {
  'sales_teams.csv': ['sales_agent,manager,regional_office', 'Mei-Mei Johns,Melvin Marxen,Central'],
  'products.csv': ['product,series,sales_price', 'GTX Pro,GTX,4821'],
  'accounts.csv': [
    'account,sector,year_established,revenue,employees,office_location,subsidiary_of',
    '"Acme, ""Inc""",technolgy,1996,1100.04,2822,United States,',
    'Betasoloin,medical,1999,251.41,495,Kenya,Acme',
    '=Cancity,,,,,,',
  ],
  'sales_pipeline.csv': [
    'opportunity_id,sales_agent,product,account,deal_stage,engage_date,close_date,close_value',
    'A1,Mei-Mei Johns,GTXPro,"Acme, ""Inc""",Won,20-10-2016,01-03-2017,1054.50',
    'A2,Mei-Mei Johns,GTX Pro,Betasoloin,Lost,25-10-2016,11-03-2017,0',
    'A3,Mei-Mei Johns,GTX Pro,=Cancity,Engaging,25-10-2016,,',
    'A4,Mei-Mei Johns,GTX Pro,,Prospecting,,,',
    'A5,Mei-Mei Johns,GTX Pro,Betasoloin,Won,20-10-2016,01-03-2017,2000',
  ],
}

let folder: string
beforeAll(async () => {
  folder = await processes.folder()
  for (const [name, lines] of Object.entries(tables)) await writeFile(join(folder, name), `${lines.join('\r\n')}\r\n`)
})

/** An installation with the settings that the example otherwise makes by commands, for these people. */
async function prepared(...agents: readonly string[]): Promise<Installation> {
  const installation = await installationOn(processes)
  const administration = administrationOf(installation.test.database)
  const { organizationId } = installation
  await setOrganization(administration, { organizationId, currencies: ['USD'] })
  for (const [index, name] of agents.entries()) {
    await createOperator(administration, { organizationId, name, email: `agent-${index}@example.com` })
  }
  const stages = [
    ...[
      { name: 'Prospecting', type: 'open' },
      { name: 'Engaging', type: 'open' },
    ],
    ...[
      { name: 'Won', type: 'won' },
      { name: 'Lost', type: 'lost' },
    ],
  ]
  await createPipeline(administration, { organizationId, name: 'Sales pipeline', stages, lostReasonRequired: false })
  return installation
}

/** Runs the example with these words behind it, and gives what it prints. */
async function run({ server, client }: Installation, ...given: readonly string[]): Promise<string> {
  const words = ['--import', 'tsx', join(root, 'examples/sales-pipeline/main.ts'), ...given]
  const env = { ...process.env, CRM_URL: server.url, CRM_TOKEN: client.token }
  return (await promisify(execFile)(process.execPath, words, { env, cwd: root })).stdout
}

const totalsIn = (printed: string) =>
  printed.slice(printed.indexOf('The pipeline in the CRM')).trim().split('\n').slice(1)
const expected = [
  'Prospecting         1   no amounts',
  'Engaging            1   no amounts',
  'Won                 2   3,054.50 USD',
  'Lost                1   0.00 USD',
  'All                 5   3,054.50 USD',
]

test.each([
  ['requests', 'import'],
  ['import', 'requests'],
])('the example via %s has the totals of its files, and via %s it then changes nothing', async (way, other) => {
  const installation = await prepared('Mei-Mei Johns')
  const { client, server, test: tested } = installation
  expect(totalsIn(await run(installation, folder, '--via', way))).toEqual(expected)
  const { items } = await client.get('/companies')
  expect(items.map(({ name, externalId, employeesCount }) => [name, externalId, employeesCount]).toSorted()).toEqual([
    ['=Cancity', '=Cancity', null],
    ['Acme, "Inc"', 'Acme, "Inc"', 2822],
    ['Betasoloin', 'Betasoloin', 495],
  ])
  const { cursor } = (await client.get('/changes/cursor')).data
  for (const again of [other, way]) expect(totalsIn(await run(installation, folder, '--via', again))).toEqual(expected)
  const { items: changed, meta } = await client.get(`/changes?after=${String(cursor)}`)
  expect([changed, meta.hasMore]).toEqual([[], false])
  await server.end('SIGKILL')
  await tested.drop()
})

test('the example has data of its own where it is given none', async () => {
  const installation = await prepared('Ines Duarte', 'Tomasz Wolny', 'Amira Haddad', 'Björn Östberg')
  expect(totalsIn(await run(installation))).toEqual([
    'Prospecting         4   no amounts',
    'Engaging            9   no amounts',
    'Won                18   25,018.00 USD',
    'Lost                9   0.00 USD',
    'All                40   25,018.00 USD',
  ])
  await expect(run(installation, root)).rejects.toThrow('has no sales_teams.csv: README.md of the example says')
  await installation.server.end('SIGKILL')
  await installation.test.drop()
})
