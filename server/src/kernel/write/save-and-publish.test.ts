import { expect, test } from 'vitest'
import { atOnce } from '../admission/index.ts'
import { defineTable } from '../record/index.ts'
import { SaveStatements } from './fragments.ts'
import { saveInSteps } from './save-and-publish.ts'
import { externalKeys, lastChanges } from './tables.ts'

const table = defineTable('contacts', ['id'], { id: 'uuid', first_name: 'text', last_name: 'text' })

/** The statement that inserts a row with these columns. */
function saveOf(statements: SaveStatements, ...columns: readonly string[]) {
  const row = Object.fromEntries(columns.map(column => [column, 'x']))
  const rows = [{ table, operation: 'insert', row }] as const
  const toSave = { organizationId: 'organization', rows, events: [], configurationVersion: null }
  const { statements: sent } = atOnce(saveInSteps(toSave, null, statements))
  return sent[0]?.statement
}

test('a process prepares a bounded number of forms of the statement, each under a name of its own, and plans the others anew', () => {
  const statements = new SaveStatements(2)
  const [one, two] = [saveOf(statements, 'id'), saveOf(statements, 'id', 'first_name')]
  expect([one?.name, two?.name]).toEqual([expect.stringMatching(/^save_/u), expect.stringMatching(/^save_/u)])
  expect(one?.name).not.toBe(two?.name)

  const three = saveOf(statements, 'id', 'last_name')
  expect([three?.name, saveOf(statements, 'id', 'last_name')?.name]).toEqual(['', ''])
  expect(saveOf(new SaveStatements(1), 'id', 'last_name')?.text).toContain(three?.text)
  expect([saveOf(statements, 'id'), saveOf(statements, 'id', 'first_name')]).toEqual([one, two])
})

test('a save counts the rows that must be there, and not a former change that a server of an older release did not write', () => {
  const place = { kind: 'contact', updated_at: '2026-03-02T10:00:00.000Z', resource_id: 'x' }
  const rows = [
    { table: lastChanges, operation: 'delete', row: place },
    { table: lastChanges, operation: 'insert', row: place },
    { table, operation: 'insert', row: { id: 'x' } },
    { table, operation: 'insert', row: { id: 'y' } },
  ] as const
  const toSave = { organizationId: 'organization', rows, events: [], configurationVersion: null }
  const { statements } = atOnce(saveInSteps(toSave, null, new SaveStatements(1)))
  expect(statements[0]?.values.slice(0, 2)).toEqual(['organization', 3])
  expect(statements[0]?.statement.text).toContain(
    'expect_rows((select count(*) from part_0) + (select count(*) from part_2) + 0 * (select count(*) from part_1), $2::bigint)',
  )
})

test('a save sends the values in which all rows of a table agree once, and no empty values', () => {
  const now = '2026-03-02T10:00:00.000Z'
  const ofApplication = (application_id: string, key: string) => {
    const row = { application_id, kind: 'contact', gone: false, key, resource_id: key, reason: null, changed_at: now }
    return { table: externalKeys, operation: 'insert', row } as const
  }
  const sent = (...rows: readonly ReturnType<typeof ofApplication>[]) => {
    const toSave = { organizationId: 'organization', rows, events: [], configurationVersion: null }
    const { statements } = atOnce(saveInSteps(toSave, null, new SaveStatements(1)))
    return { values: statements[0]?.values.slice(2), text: statements[0]?.statement.text }
  }

  const alike = sent(ofApplication('one', 'x'), ofApplication('one', 'y'))
  expect(alike.values).toEqual([
    '[{"key":"x","resource_id":"x"},{"key":"y","resource_id":"y"}]',
    'one',
    'contact',
    false,
    now,
  ])
  expect(alike.text).toContain(
    '$4::uuid as application_id, $5::text as kind, $6::boolean as gone, $7::timestamptz as changed_at',
  )

  const different = sent(ofApplication('one', 'x'), ofApplication('other', 'y'))
  const whole = (application: string, key: string) =>
    `{"application_id":"${application}","kind":"contact","gone":false,"key":"${key}","resource_id":"${key}","changed_at":"${now}"}`
  expect(different.values).toEqual([`[${whole('one', 'x')},${whole('other', 'y')}]`])
  expect(different.text).not.toBe(alike.text)
})

test('a save sends rows to delete whole, so that they are found by their whole keys', () => {
  const place = { kind: 'contact', updated_at: '2026-03-02T10:00:00.000Z' }
  const rows = ['x', 'y'].map(resource_id => {
    return { table: lastChanges, operation: 'delete', row: { ...place, resource_id } } as const
  })
  const toSave = { organizationId: 'organization', rows, events: [], configurationVersion: null }
  const { statements } = atOnce(saveInSteps(toSave, null, new SaveStatements(1)))
  expect(statements[0]?.values.slice(2)).toEqual([JSON.stringify(rows.map(({ row }) => row))])
})

test('the forms of a statement with and without values that are sent once have different names', () => {
  const statements = new SaveStatements(2)
  const nameOf = (...times: readonly string[]) => {
    const rows = times.map((updated_at, index) => {
      const row = { kind: 'contact', updated_at, resource_id: String(index) }
      return { table: lastChanges, operation: 'insert', row } as const
    })
    const toSave = { organizationId: 'organization', rows, events: [], configurationVersion: null }
    return atOnce(saveInSteps(toSave, null, statements)).statements[0]?.statement.name
  }
  expect(nameOf('2026-03-02', '2026-03-02')).not.toBe(nameOf('2026-03-02', '2026-03-03'))
})
