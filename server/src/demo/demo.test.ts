import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { Authentication, rateDefaults, systemClock } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { grantableScopes } from '../modules.ts'
import { addMember, findUser, listMembers, setUser } from '../people/index.ts'
import { createApplication, createOrganization, createToken } from '../settings/index.ts'
import { demoLink, demoToken, ensureDemo, resetDemo } from './index.ts'
import { SampleWriter } from './sample-writer.ts'

let test: TestDatabase
let dataDirectory: string

beforeAll(async () => {
  test = await createTestDatabase()
  dataDirectory = await mkdtemp(join(tmpdir(), 'crm-demo-'))
})
afterAll(async () => {
  await test?.drop()
  await rm(dataDirectory, { recursive: true, force: true })
})

const parts = () => ({ ...test, dataDirectory })

const { upsert, setTags } = SampleWriter.prototype

/** Does something before each write of the demo, as long as this test runs. */
function beforeWrites(act: () => void): void {
  const upserts = vi.spyOn(SampleWriter.prototype, 'upsert').mockImplementation(async function (
    this: SampleWriter,
    ...words
  ) {
    act()
    return upsert.apply(this, words)
  })
  const taggings = vi.spyOn(SampleWriter.prototype, 'setTags').mockImplementation(async function (
    this: SampleWriter,
    ...words
  ) {
    act()
    return setTags.apply(this, words)
  })
  onTestFinished(() => {
    upserts.mockRestore()
    taggings.mockRestore()
  })
}

const selectDemo = statement(
  'test_demo',
  `select o.id, o.demo, o.directory_version::integer as directory_version, f.seq::integer as seq, a.id as application_id,
          a.rate_write,
          (select array_agg(t.id) from api_tokens t where t.organization_id = o.id) as tokens,
          (select count(*)::integer from organizations) as organizations,
          (select count(*)::integer from applications a where a.organization_id = o.id and a.kind = 'api') as applications,
          (select count(*)::integer from companies c where c.organization_id = o.id) as companies,
          (select count(*)::integer from contacts c where c.organization_id = o.id) as contacts,
          (select count(*)::integer from deals d where d.organization_id = o.id) as deals,
          (select count(*)::integer from tasks t where t.organization_id = o.id) as tasks,
          (select count(*)::integer from operators p where p.organization_id = o.id) as operators,
          (select count(*)::integer from pipelines p where p.organization_id = o.id) as pipelines
     from organizations o
     join organization_feed f on f.organization_id = o.id
     join applications a on a.organization_id = o.id and a.name = 'Demo application'
    where o.name = 'Demo organization'`,
)

async function demoInDatabase() {
  const rows = await test.database.search(selectDemo, [])
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}

const caller = (token: string | null) => new Authentication(test.database, systemClock).authenticate(token, '192.0.2.1')

const complete = { demo: true, companies: 12, contacts: 30, deals: 40, tasks: 24, operators: 4, pipelines: 1 }

describe('the first start', () => {
  it('that was cut off leaves no demo, and the next one makes it whole', async () => {
    let writes = 1
    beforeWrites(() => {
      if (writes === 0) throw new Error('power failure')
      writes -= 1
    })
    await expect(ensureDemo(parts())).rejects.toThrow('power failure')
    expect(await demoInDatabase()).toMatchObject({ demo: false, companies: 12, contacts: 0 })
    expect(await demoToken(dataDirectory)).toBeNull()
    writes = 7
    await expect(ensureDemo(parts())).rejects.toThrow('power failure')
    writes = Number.POSITIVE_INFINITY
    await ensureDemo(parts())
    expect(await demoInDatabase()).toMatchObject({ ...complete, rate_write: rateDefaults.write, applications: 1 })
  })

  it('keeps a token with every scope for the owner of the data directory alone', async () => {
    const token = await ensureDemo(parts())
    const file = join(dataDirectory, 'demo-token')
    expect(await readFile(file, 'utf8')).toBe(`${token}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(dataDirectory)).toEqual(['demo-token'])
    expect(token).toMatch(/^crm_test_/u)
    expect((await caller(token))?.scopes).toEqual(new Set(grantableScopes.map(({ scope }) => scope)))
  })

  it('happens once: later starts leave the organization as it is', async () => {
    const before = await demoInDatabase()
    let writes = 0
    beforeWrites(() => (writes += 1))
    await ensureDemo(parts())
    expect(await demoInDatabase()).toEqual(before)
    expect(writes).toBe(0)
  })

  it('makes one demo when two processes come at the same time', async () => {
    const tokens = await Promise.all([ensureDemo(parts()), ensureDemo(parts())])
    expect(new Set(tokens).size).toBe(1)
  })
})

describe('the sample data', () => {
  const selectDeals = statement(
    'test_demo_deals',
    `select s.name as stage, d.status, d.currency, count(*)::integer as deals,
            count(d.lost_reason_category_uuid)::integer as reasons, min(d.amount)::float as lowest,
            bool_and(exists (select from deal_companies l where l.organization_id = d.organization_id and l.deal_id = d.id))
              as has_companies,
            bool_and(exists (select from deal_contacts l where l.organization_id = d.organization_id and l.deal_id = d.id))
              as has_contacts
       from deals d
       join organizations o on o.id = d.organization_id and o.demo
       join stages s on s.organization_id = d.organization_id and s.id = d.stage_uuid
      group by s.name, d.status, d.currency`,
  )

  it('spreads deals over all stages, in two currencies, with companies, contacts and reasons of losses', async () => {
    const groups = await test.database.search(selectDeals, [])
    const stages = new Set(groups.map(group => group.stage))
    expect(stages).toEqual(new Set(['New', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']))
    expect(new Set(groups.map(group => group.currency))).toEqual(new Set(['USD', 'EUR']))
    for (const group of groups) {
      expect(group).toMatchObject({ has_companies: true, has_contacts: true })
      expect(group.reasons).toBe(group.status === 'lost' ? group.deals : 0)
      expect(group.lowest).toBeGreaterThan(0)
    }
  })

  it('has tasks about deals, contacts and companies, in every status, and due on a day or at an hour', async () => {
    const tasks = await test.database.search(
      statement(
        'test_demo_tasks',
        `select t.status, length(t.due_date) as precision,
                t.deal_id is not null and t.contact_id is not null and t.company_id is not null as about_all
           from tasks t join organizations o on o.id = t.organization_id and o.demo`,
      ),
      [],
    )
    expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(['todo', 'in_progress', 'done', 'canceled']))
    expect(new Set(tasks.map(({ precision }) => precision))).toEqual(new Set([10, 24]))
    expect(tasks.every(({ about_all }) => about_all)).toBe(true)
  })

  it('carries each of its tags, on every kind of records', async () => {
    const [row] = await test.database.search(
      statement(
        'test_demo_tags',
        `select array_agg(distinct kind order by kind) as kinds, count(distinct tag)::integer as tags,
                (select count(*)::integer from tags t join organizations o on o.id = t.organization_id and o.demo) as made
           from (select organization_id, 'contact' as kind, unnest(tag_ids) as tag from contacts
                 union all select organization_id, 'company', unnest(tag_ids) from companies
                 union all select organization_id, 'deal', unnest(tag_ids) from deals
                 union all select organization_id, 'task', unnest(tag_ids) from tasks) as carried
           join organizations o on o.id = carried.organization_id and o.demo`,
      ),
      [],
    )
    expect(row).toEqual({ kinds: ['company', 'contact', 'deal', 'task'], tags: 5, made: 5 })
  })

  it('is written like all other records: with an audit entry and a change event of each step, by the application', async () => {
    const [row] = await test.database.search(
      statement(
        'test_demo_trail',
        `select count(*)::integer as events,
                (select count(*)::integer from audit_entries e
                  where e.organization_id = o.id and e.application_id = a.id) as entries,
                count(*) filter (where c.actor_type = 'application' and c.application_id = a.id)::integer as authored
           from organizations o
           join applications a on a.organization_id = o.id and a.kind = 'api'
           join changes c on c.organization_id = o.id
          where o.demo group by o.id, a.id`,
      ),
      [],
    )
    const records = complete.companies + complete.contacts + complete.deals + complete.tasks
    expect(row?.events).toBeGreaterThan(records)
    expect(row).toEqual({ events: row?.events, entries: row?.events, authored: row?.events })
  })
})

describe('the sample members', () => {
  const rolesOf = async () => {
    const { id } = await demoInDatabase()
    const members = await listMembers(test.database, String(id), 0)
    return members.flatMap(({ role, state }) => (state === 'member' ? [role] : [])).toSorted()
  }
  const address = (name: string) => `${name}@demo.example`

  it('are those whose accounts may join', async () => {
    const { id: organizationId } = await createOrganization(test, { name: 'Another' })
    expect(await rolesOf()).toEqual(['manager', 'member', 'owner'])
    await setUser(test, address('hanna.berg'), { active: false })
    await resetDemo(parts())
    await ensureDemo(parts())
    expect(await rolesOf()).toEqual(['manager', 'owner'])

    await test.database.script(`delete from memberships where organization_id = '${(await demoInDatabase()).id}'`)
    const user = await findUser(test.database, address('mateo.silva'))
    await addMember(test, { organizationId, user, role: 'owner' })
    await ensureDemo(parts())
    expect(await rolesOf()).toEqual(['owner'])
    expect(await demoLink(test, 'http://localhost')).toContain('http://localhost/')

    await setUser(test, address('olivia.grant'), { active: false })
    await resetDemo(parts())
    await ensureDemo(parts())
    expect(await rolesOf()).toEqual([])
    expect(await demoLink(test, 'http://localhost')).toBeNull()

    await setUser(test, address('mateo.silva'), { proven: true })
    for (const name of ['hanna.berg', 'olivia.grant']) await setUser(test, address(name), { active: true })
    await ensureDemo(parts())
    expect(await rolesOf()).toEqual(['manager', 'member', 'owner'])
  })
})

describe('a reset', () => {
  it('removes added records, and keeps the ids and the token', async () => {
    const token = await demoToken(dataDirectory)
    const before = await demoInDatabase()
    const organizationId = String(before.id)
    const writer = new SampleWriter(test)
    expect(await writer.upsert('companies', [{ externalId: 'added', name: 'Added' }])).toHaveLength(1)
    const other = await createApplication(test, { organizationId, name: 'Added' })
    const address = { organizationId, applicationId: other.id }
    await createToken(test, { ...address, name: 'Added', scopes: ['all'] })

    expect(await resetDemo(parts())).toEqual({
      organizationId: before.id,
      applicationId: before.application_id,
      companies: 12,
      contacts: 30,
      deals: 40,
      tasks: 24,
    })
    const after = await demoInDatabase()
    expect(after).toMatchObject({ ...complete, id: before.id, tokens: before.tokens, applications: 1 })
    expect(await demoToken(dataDirectory)).toBe(token)
    expect(await caller(token)).toMatchObject({ rate: { write: rateDefaults.write } })
  })

  it('gives the same data each time', async () => {
    const selectText = statement(
      'test_demo_text',
      `select array_agg(array[k.key, d.title, d.amount::text, s.name] order by k.key) as deals
         from deals d
         join stages s on s.organization_id = d.organization_id and s.id = d.stage_uuid
         join external_keys k on k.organization_id = d.organization_id and k.resource_id = d.id
         join organizations o on o.id = d.organization_id and o.demo`,
    )
    const before = await test.database.search(selectText, [])
    await resetDemo(parts())
    expect(await test.database.search(selectText, [])).toEqual(before)
  })

  it('raises the directory version and expires earlier feed cursors, so that nobody goes on with the old data', async () => {
    const before = await demoInDatabase()
    await resetDemo(parts())
    const after = await demoInDatabase()
    expect(after.directory_version).toBeGreaterThan(Number(before.directory_version))
    const selectOldest = statement(
      'test_oldest_change',
      'select min(c.seq)::integer as oldest from changes c join organizations o on o.id = c.organization_id and o.demo',
    )
    const [row] = await test.database.search(selectOldest, [])
    expect(row?.oldest).toBe(Number(before.seq) + 2)
  })

  it('leaves other organizations alone', async () => {
    const { id } = await createOrganization(test, { name: 'Acme' })
    await resetDemo(parts())
    const [row] = await test.database.search(
      statement('test_stages_of', 'select count(*)::integer as stages from stages s where s.organization_id = $1'),
      [id],
    )
    expect(row).toEqual({ stages: 6 })
  })

  it('makes a new token when the file is gone, and gives the reason for a refused record', async () => {
    const token = await demoToken(dataDirectory)
    await rm(join(dataDirectory, 'demo-token'))
    await resetDemo(parts())
    expect(await demoToken(dataDirectory)).not.toBe(token)
    expect(await caller(token)).toBeNull()
    expect(await caller(await demoToken(dataDirectory))).not.toBeNull()

    const unknownTags = vi.spyOn(SampleWriter.prototype, 'setTags').mockImplementation(function (
      this: SampleWriter,
      plural,
      id,
    ) {
      return setTags.call(this, plural, id, [randomUUID()])
    })
    onTestFinished(() => unknownTags.mockRestore())
    await expect(resetDemo(parts())).rejects.toThrow('the sample data of companies was refused with 404: not_found')
    expect(await demoInDatabase()).toMatchObject({ demo: false })
  })

  it('covers every table that has rows of the organization', async () => {
    await resetDemo(parts())
    const { id } = await demoInDatabase()
    beforeWrites(() => {
      throw new Error('stopped after the removal')
    })
    await test.database.script(`update organization_feed set file_bytes = 5 where organization_id = '${id}'`)
    await expect(resetDemo(parts())).rejects.toThrow('stopped')
    expect(await test.database.search(selectFileBytes, [id])).toEqual([{ bytes: '0' }])
    const tables = await test.database.search(
      statement(
        'test_tenant_tables',
        `select c.table_name as name from information_schema.columns c
          where c.column_name = 'organization_id' and c.table_schema = 'public' order by c.table_name`,
      ),
      [],
    )
    const filled: unknown[] = []
    for (const name of tables.map(table => String(table.name))) {
      const select = statement(`test_any_of_${name}`, `select from ${name} where organization_id = $1 limit 1`)
      if ((await test.database.search(select, [id])).length > 0) filled.push(name)
    }
    expect(filled).toEqual([
      'api_tokens',
      'applications',
      'audit_entries',
      'custom_field_definitions',
      'lost_reason_categories',
      'memberships',
      'operators',
      'organization_feed',
      'organizations',
      'pipelines',
      'stages',
      'tags',
    ])
    expect(tables.length).toBeGreaterThan(filled.length)
  })
})

const selectFileBytes = statement(
  'test_file_bytes_of_demo',
  'select f.file_bytes as bytes from organization_feed f where f.organization_id = $1',
)
