import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statement, tenantTables } from '../../server/src/kernel/sql/index.ts'
import { operations } from '../../server/src/modules.ts'
import { aContact } from '../support/builders.ts'
import { type Gathering, letGather } from '../support/gathering.ts'
import { anOrganization } from '../support/organization.ts'
import { callEveryOperation } from './every-operation.ts'
import { untied } from './ownership.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'
import { writeInGroups } from './write-in-groups.ts'

// What the server asks to learn whether its tables are distributed. With it, any PostgreSQL is written to as a cluster is.
const lookDistributed = `
  create table pg_dist_partition (logicalrelid regclass primary key);
  insert into pg_dist_partition values ('organizations')`

const isSave = ({ statement: { name, text } }: Sent) =>
  name.startsWith('save_') || name === 'move_feed' || /^insert into changes/mu.test(text)

const dateFeed = statement(
  'test_date_feed',
  'update organization_feed set oldest_configuration = 1000000 where organization_id = $1',
)
const countContacts = statement(
  'test_count_of_cluster',
  'select count(*)::integer as count from contacts where organization_id = $1',
)
const selectNumbers = statement(
  'test_numbers_of_cluster',
  'select seq::integer from changes where organization_id = $1 order by seq',
)

const contacts = (count: number) =>
  Array.from({ length: count }, (_, number) => aContact({ externalId: `contact-${number}` }))

describe('a server on distributed tables', () => {
  let api: RecordedApi & Gathering
  let sent: Sent[]
  let saves: Sent[]
  let tables: ReadonlySet<string>
  beforeAll(async () => {
    api = await letGather(holdGroups => startRecordedApi({ holdGroups, prepare: lookDistributed }))
    const { database } = api.test
    const known = await tenantTables({ query: database.query.bind(database) })
    // Every node has all tokens.
    tables = new Set(known.map(({ name }) => name).filter(name => name !== 'api_tokens'))
    sent = await api.recorded(async () => {
      await callEveryOperation(await anOrganization(api))
      await writeInGroups(api, await anOrganization(api))
    })
    saves = sent.filter(isSave)
  })
  afterAll(() => api.close())

  // Foreign keys are checked after each statement, so what others refer to comes first, and goes last.
  test('keeps the promise of every operation', () => {
    expect(api.failures).toEqual([])
    expect([...api.answered].sort()).toEqual(operations.map(({ id }) => id).sort())
    expect(saves.length).toBeGreaterThan(100)
  })

  test('writes to one table in each statement of a save', () => {
    const written = ({ statement: { text } }: Sent) =>
      [...text.matchAll(/\b(?:insert into|update|delete from) (\w+)/gu)].map(([, table]) => table)
    expect(saves.filter(save => written(save).length !== 1).map(({ statement }) => statement.text)).toEqual([])
  })

  // Rows that come from a parameter alone would be copied to their node, and committed there in two phases.
  test('takes many rows that are inserted at once to the row of their organization', async () => {
    const { client } = await anOrganization(api)
    const batch = await api.recorded(() => client.post('/contacts/batch/upsert', { items: contacts(32) }))
    const many = batch.filter(isSave).filter(({ statement: { text } }) => /\binsert into\b[^]*\bselect\b/u.test(text))
    expect(many.length).toBeGreaterThanOrEqual(4)
    const alone = many.filter(({ statement: { text } }) => !/\bjoin organizations o\s+where o\.id = \$1/u.test(text))
    expect(alone.map(({ statement }) => statement.text)).toEqual([])
  })

  // The planner of a cluster plans an insert of a rowset once for each shard.
  test('inserts fewer rows value by value, in few sizes, and loses none', async () => {
    const { id, client } = await anOrganization(api)
    const batch = await api.recorded(() => client.post('/contacts/batch/upsert', { items: contacts(31) }))
    const inserts = batch.filter(isSave).filter(({ statement: { text } }) => /\binsert into contacts\b/u.test(text))
    const sizes = inserts.map(({ statement: { text } }) => [...text.matchAll(/\(\$1/gu)].length)
    expect(sizes).toEqual([16, 8, 4, 2, 1])
    expect(await api.test.database.query(countContacts, [id])).toEqual([{ count: 31 }])
    const numbers = await api.test.database.query(selectNumbers, [id])
    expect(numbers).toEqual(Array.from({ length: 31 }, (_, event) => ({ seq: event + 1 })))
  })

  // A former last change may be missing: a server of an older release does not write the table.
  test('counts the rows of each update and removal, except removals of former last changes', () => {
    const uncounted = saves.filter(
      ({ statement: { name, text } }) =>
        name !== 'move_feed' &&
        /\b(?:update|delete from) (?!last_changes)/u.test(text) &&
        !text.includes('expect_rows(count(*), $2'),
    )
    expect(uncounted.map(({ statement }) => statement.text)).toEqual([])
  })

  test('writes the feed next to last in a save, and the change events last', async () => {
    const { client } = await anOrganization(api)
    const one = await api.recorded(() => client.post('/contacts', aContact()))
    const written = one.filter(isSave).map(({ statement: { text } }) => /(?:insert into|update) (\w+)/u.exec(text)?.[1])
    expect(written.slice(-2)).toEqual(['organization_feed', 'changes'])
    expect(new Set(written.slice(0, -2))).toEqual(
      new Set(['contacts', 'external_keys', 'last_changes', 'audit_entries', 'idempotency_answers']),
    )
  })

  test('ties each table in a statement of a transaction to its organization, so that one node gets it', () => {
    const wide = sent
      .filter(({ pool }) => pool === 'points')
      .map(({ statement }) => ({ ...statement, untied: untied(statement.text, tables) }))
      .filter(each => each.untied.length > 0)
    expect([...new Map(wide.map(each => [each.name, each])).values()]).toEqual([])
  })

  // The planner of a cluster keeps its plan of such a statement, and makes that of a join or a subquery anew each time.
  test('sends a create in statements of which each is about one table, without joins and subqueries', async () => {
    const { client } = await anOrganization(api)
    const one = await api.recorded(() => client.post('/contacts', aContact()))
    const texts = one.filter(({ pool }) => pool === 'points').map(({ statement: { text } }) => text)
    const create = texts.slice(texts.findIndex(text => text.startsWith('-- name: claim_key\n')))
    expect(create).toHaveLength(11)
    const tablesIn = (text: string) => text.match(/\b(?:from|join|using|into|update) /gu) ?? []
    const isPlain = (text: string) => tablesIn(text).length === 1 && !/\bselect\b[^]*\bselect\b/u.test(text)
    expect(create.filter(text => !isPlain(text))).toEqual([])
  })

  test('takes the claim of a key and every advisory lock from the row of the organization', () => {
    const locking = sent.filter(({ statement: { text } }) =>
      /set_config\('crm.claim', '?(?:case|held)|advisory/u.test(text),
    )
    const names = locking.map(({ statement: { name } }) => name)
    expect(names).toEqual(expect.arrayContaining(['claim_key', 'claim_keys', 'hold_claims', 'lock_key', 'try_keys']))
    const elsewhere = locking.filter(
      ({ statement: { text } }) => !/from organizations o\b[^;]*where o\.id = \$1/u.test(text),
    )
    expect(elsewhere.map(({ statement }) => statement.name)).toEqual([])
  })

  test('writes nothing where the configuration that has decided is too old for the feed', async () => {
    const { id, client } = await anOrganization(api)
    const { database } = api.test
    await database.query(dateFeed, [id])
    expect((await client.post('/contacts', aContact())).status).toBe(503)
    expect(await database.query(countContacts, [id])).toEqual([{ count: 0 }])
  })
})
