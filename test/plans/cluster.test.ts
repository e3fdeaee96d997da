import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { aContact } from '../support/builders.ts'
import { anOrganization } from '../support/organization.ts'
import { callEveryOperation } from './every-operation.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

// What the server asks to learn whether its tables are distributed. With it, any PostgreSQL is written to as a cluster is.
const lookDistributed = `
  create table pg_dist_partition (logicalrelid regclass primary key);
  insert into pg_dist_partition values ('organizations')`

const isSave = ({ statement: { name, text } }: Sent) => name.startsWith('save_') || /^insert into changes/mu.test(text)

describe('what is sent where the tables are distributed', () => {
  let api: RecordedApi
  let sent: Sent[]
  let saves: Sent[]
  beforeAll(async () => {
    api = await startRecordedApi({ prepare: lookDistributed })
    sent = await api.recorded(async () => callEveryOperation(await anOrganization(api)))
    saves = sent.filter(isSave)
  })
  afterAll(() => api.close())

  // Foreign keys are checked after each statement, so what others refer to comes first, and goes last.
  test('does what every operation promises', () => {
    expect(api.failures).toEqual([])
    expect([...api.answered].sort()).toEqual(operations.map(({ id }) => id).sort())
    expect(saves.length).toBeGreaterThan(100)
  })

  test('writes to one table in each statement of a save', () => {
    const written = ({ statement: { text } }: Sent) =>
      [...text.matchAll(/\b(?:insert into|update|delete from) (\w+)/gu)].map(([, table]) => table)
    expect(saves.filter(save => written(save).length !== 1).map(({ statement }) => statement.text)).toEqual([])
  })

  test('counts the rows of each update and removal', () => {
    const uncounted = saves.filter(
      ({ statement: { text } }) =>
        /\b(?:update|delete from) /u.test(text) && !text.includes('expect_rows(count(*), $2'),
    )
    expect(uncounted.map(({ statement }) => statement.text)).toEqual([])
  })

  test('has the feed next to last in a save, and the change events last', async () => {
    const { client } = await anOrganization(api)
    const one = await api.recorded(() => client.post('/contacts', aContact()))
    const written = one.filter(isSave).map(({ statement: { text } }) => /(?:insert into|update) (\w+)/u.exec(text)?.[1])
    expect(written.slice(-2)).toEqual(['organization_feed', 'changes'])
    expect(new Set(written.slice(0, -2))).toEqual(
      new Set(['contacts', 'external_keys', 'audit_entries', 'idempotency_answers']),
    )
  })

  test('names its organization in each statement of a transaction, by which one node is asked', () => {
    // A row to write begins with its organization. Otherwise the column that the tables are distributed by equals a parameter.
    const names = /(?:organization_id|\b[a-z]+\.id) = \$1\b|\(organization_id, [^)]*\)\s+values \(\$1\b/u
    const isOfInstallation = /\b(?:installation|api_tokens|graphile_worker)\b|^(?:begin|commit|rollback)/mu
    const inTransactions = sent.filter(
      ({ pool, statement: { text } }) => pool === 'points' && !isOfInstallation.test(text),
    )
    expect(
      inTransactions.filter(({ statement: { text } }) => !names.test(text)).map(({ statement }) => statement),
    ).toEqual([])
  })

  test('takes the claim of a key and every advisory lock from the row of the organization', () => {
    const locking = sent.filter(({ statement: { text } }) =>
      /set_config\('crm.claim', '?(?:case|held)|advisory/u.test(text),
    )
    expect(new Set(locking.map(({ statement: { name } }) => name))).toContain('claim_key')
    const elsewhere = locking.filter(
      ({ statement: { text } }) => !/from organizations o\b[^;]*where o\.id = \$1/u.test(text),
    )
    expect(elsewhere.map(({ statement }) => statement.name)).toEqual([])
  })
})
