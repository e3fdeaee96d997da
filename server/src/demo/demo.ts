import { newTokenText } from '../kernel/auth/index.ts'
import { lockNumber } from '../kernel/schema/index.ts'
import { type Database, failureOf, statement, type Transaction } from '../kernel/sql/index.ts'
import { grantableScopes } from '../modules.ts'
import { type Administration, createToken, makeDemo } from '../settings/index.ts'
import { configureDemo, type DemoConfiguration } from './configure-demo.ts'
import { ensureDemoMembers } from './demo-members.ts'
import { demoApplicationId, demoOrganizationId, demoTokenName } from './identity.ts'
import { sampleCompanies } from './sample/companies.ts'
import { sampleContacts } from './sample/contacts.ts'
import { sampleDeals } from './sample/deals.ts'
import { taggings } from './sample/taggings.ts'
import { sampleTasks } from './sample/tasks.ts'
import { SampleWriter } from './sample-writer.ts'
import { startAnew } from './start-anew.ts'
import { demoToken, writeDemoToken } from './token-file.ts'

/** Who makes the demo. It needs two connections: one holds the lock while the other one writes. */
export interface DemoParts extends Administration {
  /** The directory of the token file. */
  readonly dataDirectory: string
}

/** The contents of the demo organization after a reset. */
export interface DemoSummary {
  readonly organizationId: string
  readonly applicationId: string
  readonly companies: number
  readonly contacts: number
  readonly deals: number
  readonly tasks: number
}

const takeTurn = statement('demo_take_turn', 'select pg_advisory_xact_lock($1::bigint)')

const selectComplete = statement('demo_select_complete', 'select o.id from organizations o where o.id = $1 and o.demo')

/** Creates the demo organization if it is missing or incomplete, and resolves to its token. A complete one is not changed. */
export async function ensureDemo(parts: DemoParts): Promise<string> {
  return inTurn(parts.database, async () => {
    const { database, dataDirectory } = parts
    const complete = await database.query(selectComplete, [demoOrganizationId])
    if (complete.length === 0) await rebuild(parts)
    // A demo organization of an earlier release has no members yet.
    else await ensureDemoMembers(parts)
    const known = await demoToken(dataDirectory)
    if (known !== null) return known
    const address = { organizationId: demoOrganizationId, applicationId: demoApplicationId }
    const { token } = await createToken(granting(parts), { ...address, name: demoTokenName, scopes: ['all'] })
    await writeDemoToken(dataDirectory, token)
    return token
  })
}

const selectBesideOthers = statement(
  'demo_select_beside_others',
  `select 1 from organizations o where not exists (select 1 from organizations d where d.id = $1) limit 1`,
)

/** Whether a reset would create the demo organization in an installation that serves others. */
export async function comesBesideOthers(database: Database): Promise<boolean> {
  return (await database.query(selectBesideOthers, [demoOrganizationId])).length > 0
}

/** Resets the demo organization to its sample data, or creates it. Its ids and the token in the file stay valid. */
export async function resetDemo(parts: DemoParts): Promise<DemoSummary> {
  return inTurn(parts.database, () => rebuild(parts))
}

async function rebuild(parts: DemoParts): Promise<DemoSummary> {
  const { dataDirectory } = parts
  const token = (await demoToken(dataDirectory)) ?? newTokenText('test').text
  const configuration = await configureDemo(parts, await startAnew(granting(parts), token))
  const counts = await writeSampleRecords(new SampleWriter(parts), configuration)
  await writeDemoToken(dataDirectory, token)
  await makeDemo(parts, demoOrganizationId)
  return { organizationId: demoOrganizationId, applicationId: demoApplicationId, ...counts }
}

/** The token of the demo has the scopes that permit something in this version. */
function granting(parts: DemoParts): Administration {
  return { ...parts, grantableScopes: grantableScopes.map(({ scope }) => scope) }
}

/** Runs the work under a lock that excludes all other processes of the installation. The lock ends with the process, even after a crash. */
async function inTurn<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  const turn = await database.begin()
  try {
    await waitForTurn(turn)
    return await work()
  } finally {
    await turn.rollback()
  }
}

async function waitForTurn(turn: Transaction): Promise<void> {
  try {
    await turn.query(takeTurn, [lockNumber('demo')])
  } catch (error) {
    if (failureOf(error) !== 'unavailable') throw error
    throw new Error('the demo organization is being made by another process: try again', { cause: error })
  }
}

/** Writes the sample records and their tags. Records that others refer to come first. Throws if one is refused. */
async function writeSampleRecords(writer: SampleWriter, configuration: DemoConfiguration) {
  const companies = await writer.upsert('companies', sampleCompanies(configuration))
  const contacts = await writer.upsert('contacts', sampleContacts(configuration))
  const deals = await writer.upsert('deals', sampleDeals(configuration))
  const tasks = await writer.upsert('tasks', sampleTasks(configuration))
  await writeTags(writer, { companies, contacts, deals, tasks }, configuration)
  return { companies: companies.length, contacts: contacts.length, deals: deals.length, tasks: tasks.length }
}

async function writeTags(
  writer: SampleWriter,
  ids: Readonly<Record<keyof typeof taggings, readonly string[]>>,
  { tagIds }: DemoConfiguration,
): Promise<void> {
  for (const plural of ['companies', 'contacts', 'deals', 'tasks'] as const) {
    for (const [position, names] of taggings[plural]) {
      const tags = names.flatMap(name => tagIds.get(name) ?? [])
      await writer.setTags(plural, ids[plural][position] ?? '', tags)
    }
  }
}
