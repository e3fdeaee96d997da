import { setTimeout as sleep } from 'node:timers/promises'
import { Secret, writeCursor } from '../server/src/kernel/index.ts'
import { Database, type DatabaseLocation, migrate, statement } from '../server/src/kernel/sql/index.ts'
import { createApplication, createOrganization, createToken } from '../server/src/settings/index.ts'
import type { Cleanup } from './cleanup.ts'
import { fill } from './fill.ts'
import { productSecret } from './processes.ts'
import type { Connection, Target } from './protocol.ts'

export interface SceneOptions {
  readonly contacts: number
  readonly organizations: number
  readonly connections: number
}

interface Member {
  readonly token: string
  readonly organizationId: string
  readonly applicationId: string
}

/** A database of its own with organizations, applications, tokens and contacts. */
export interface Scene {
  readonly url: string
  /** One connection for each member, each with contacts in their current state that no other connection uses. */
  connections(targetsOfEach: number): Promise<readonly Connection[]>
  /** Resolves when no statement is running: requests in flight at the end of a round have finished. */
  quiet(): Promise<void>
}

type Server = Extract<DatabaseLocation, { host: string }>

/** Creates the scene on the server; it is dropped at the end. */
export async function makeScene(server: Server, options: SceneOptions, cleanup: Cleanup): Promise<Scene> {
  const name = `bench_${options.contacts}_${options.organizations}_${options.connections}`
  const maintenance = new Database({ location: server, connections: 1 })
  cleanup.add(() => maintenance.close())
  await maintenance.script(`create database ${name}`)
  // Waits for connections that are closing, and cancels a running vacuum.
  cleanup.add(() => maintenance.script(`drop database ${name}`))
  const database = new Database({ location: { ...server, database: name }, connections: 2 })
  cleanup.add(() => database.close())
  await migrate(database)
  const members = await fillAll(database, options)
  // Collects statistics for the planner, and prevents a vacuum of the new tables during a round.
  await database.script('vacuum analyze')
  await database.script('checkpoint').catch(() => {})
  const url = `postgresql://${server.user}@localhost/${name}?host=${encodeURIComponent(server.host)}&port=${server.port}`
  return {
    url,
    connections: count => Promise.all(members.map(async member => withTargets(database, member, count))),
    quiet: () => quiet(database),
  }
}

async function fillAll(database: Database, { contacts, organizations, connections }: SceneOptions): Promise<Member[]> {
  const members: Member[] = []
  for (let index = 0; index < organizations; index += 1) {
    const { id } = await createOrganization(administration(database), { name: `Organization ${index + 1}` })
    const share = Math.ceil((connections - index) / organizations)
    const own: Member[] = []
    for (let count = 0; count < Math.max(1, share); count += 1)
      own.push(await createMember(database, id, `Bench ${count + 1}`))
    const applicationIds = own.map(({ applicationId }) => applicationId)
    await fill(database, id, applicationIds, Math.floor(contacts / organizations))
    members.push(...own)
  }
  return members
}

const secret = new Secret(productSecret)

const administration = (database: Database) => ({ database, secret })

const unlimited = 1_000_000_000

async function createMember(database: Database, organizationId: string, name: string): Promise<Member> {
  const rates = { rateRead: unlimited, rateWrite: unlimited }
  const { id: applicationId } = await createApplication(administration(database), {
    organizationId,
    name,
    ...rates,
  })
  const { token } = await createToken(administration(database), {
    organizationId,
    applicationId,
    name,
    scopes: ['all'],
  })
  return { token, organizationId, applicationId }
}

const countActive = statement(
  'bench_count_active',
  `select count(*)::integer as active from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
)

async function quiet(database: Database): Promise<void> {
  for (let looks = 0; looks < 4; looks += 1) {
    await sleep(100)
    const [row] = await database.search(countActive, [])
    if (row?.active !== 0) looks = 0
  }
}

const selectTargets = statement(
  'bench_select_targets',
  `select c.id, k.key as "externalId", c.version::integer
     from external_keys k join contacts c on c.organization_id = k.organization_id and c.id = k.resource_id
    where k.organization_id = $1 and k.application_id = $2 and k.kind = 'contact' and not k.gone
    order by random() limit $3`,
)

const selectFeed = statement('bench_select_feed', 'select f.seq from organization_feed f where f.organization_id = $1')

async function withTargets(database: Database, member: Member, count: number): Promise<Connection> {
  const { organizationId, applicationId } = member
  const targets = await database.search<Target>(selectTargets, [organizationId, applicationId, count])
  const [feed] = await database.search(selectFeed, [organizationId])
  const behind = Math.max(0, Number(feed?.seq) - 100)
  const cursors = Array.from({ length: 100 }, () => feedCursor(organizationId, Math.floor(Math.random() * behind)))
  return { ...member, targets, cursors }
}

/** A position in the change feed of an organization, after the event with that number. */
export function feedCursor(organizationId: string, seq: number): string {
  return writeCursor(secret, { entry: 'api', organizationId, route: '/api/v1/crm/changes', filters: {} }, { seq })
}
