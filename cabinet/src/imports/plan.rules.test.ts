import { describe, expect, test } from 'vitest'
import { type ImportJob, type ImportPreview, importStepOf } from './import-job.ts'
import { earlierPlan, startAfter, startBodyOf, suggestedPlan, withField, withMatch } from './plan.rules.ts'

const column = (index: number, name: string, suggestedField: string | null = null) => ({
  index,
  name,
  samples: [],
  detectedType: 'text',
  suggestedField,
})

const preview: ImportPreview = {
  columns: [column(0, 'Key', 'externalId'), column(1, 'Name', 'lastName'), column(2, 'Firma', 'companyName')],
  fields: ['externalId', 'lastName', 'companyName', 'email1'].map(key => ({ key, label: key, type: 'text' })),
  rowCount: 2,
  encoding: 'utf-8',
  delimiter: ',',
  sheets: [],
  suggestedHeaderRow: null,
  missingCompanies: { named: 2, missing: 1, suggested: 'create' },
  warnings: [],
}

const job: ImportJob = {
  id: 'a',
  entityType: 'contacts',
  status: 'completed',
  fileName: 'people.csv',
  rowCount: 2,
  mapping: { externalId: 'Key', lastName: 1, gone: 0, email1: 'no such column' },
  dedupPolicy: { strategy: 'skip_existing', matchBy: ['externalId'], onConflict: 'overwrite' },
  dryRun: false,
  missingCompany: 'leave_out',
  missingTag: 'refuse',
  onInvalidCell: 'leave_out',
  dateFormat: 'DMY',
  decimalMark: ',',
  counters: { total: 2, created: 2, updated: 0, unchanged: 0, skipped: 0, failed: 0, pending: 0 },
  createdCompanies: 0,
  errors: [],
  failure: null,
  applicationId: null,
  startedAt: '2026-03-01T10:00:00.000Z',
  finishedAt: '2026-03-01T10:00:01.000Z',
  undoableUntil: null,
  undo: null,
}

describe('the plan of an import', () => {
  test('is what the server suggests, and creates missing companies where the server does', () => {
    expect(suggestedPlan(preview)).toMatchObject({
      fields: { 0: 'externalId', 1: 'lastName', 2: 'companyName' },
      matchBy: ['externalId'],
      missingCompany: 'create',
    })
  })

  test('follows an earlier import of the same columns, without fields and columns that are gone', () => {
    const { id: _, ...others } = job
    expect(earlierPlan(job, preview)).toMatchObject({
      fields: { 0: 'externalId', 1: 'lastName' },
      strategy: 'skip_existing',
      onConflict: 'overwrite',
      missingCompany: 'leave_out',
      dateFormat: 'DMY',
    })
    expect(earlierPlan({ ...others, id: 'b', mapping: null }, preview)).toBeNull()
    expect(earlierPlan({ ...job, mapping: { gone: 0 } }, preview)).toBeNull()
    expect(earlierPlan(null, preview)).toBeNull()
  })

  test('gives a field to one column, and finds records by what is still in the file', () => {
    const plan = suggestedPlan(preview)
    const moved = withField(plan, 1, 'externalId')
    expect(moved.fields).toEqual({ 1: 'externalId', 2: 'companyName' })
    expect(moved.matchBy).toEqual(['externalId'])
    const without = withField(moved, 1, null)
    expect([without.fields, without.matchBy]).toEqual([{ 2: 'companyName' }, []])
    expect(withField(without, 0, 'email1').matchBy).toEqual(['email'])
  })

  test('says that records are found by the ids of the file where nothing else is chosen, as the server does', () => {
    const plan = withField(suggestedPlan(preview), 1, 'email1')
    expect(plan.matchBy).toEqual(['externalId', 'email'])
    const byEmail = withMatch(plan, 'externalId', false)
    expect(byEmail.matchBy).toEqual(['email'])
    expect(withMatch(byEmail, 'externalId', true).matchBy).toEqual(['externalId', 'email'])
    expect(withMatch(byEmail, 'email', false).matchBy).toEqual(['externalId'])
    expect(withField(byEmail, 1, null).matchBy).toEqual(['externalId'])
    const withoutIds = withField(byEmail, 0, null)
    expect(withMatch(withoutIds, 'email', false).matchBy).toEqual([])
  })

  test('names columns by their numbers, and policies without matches by nothing', () => {
    const plan = suggestedPlan(preview)
    expect(startBodyOf(plan, true)).toMatchObject({
      mapping: { externalId: 0, lastName: 1, companyName: 2 },
      dedupPolicy: { strategy: 'create_or_update', onConflict: 'fill_empty', matchBy: ['externalId'] },
      dryRun: true,
      missingCompany: 'create',
    })
    expect(startBodyOf({ ...plan, matchBy: [] }, false).dedupPolicy).not.toHaveProperty('matchBy')
  })

  test('is started as it was checked', () => {
    const { mapping, dedupPolicy } = job
    expect(startAfter({ ...job, dryRun: true })).toEqual({
      mapping,
      dedupPolicy,
      dryRun: false,
      missingCompany: 'leave_out',
      missingTag: 'refuse',
      onInvalidCell: 'leave_out',
      dateFormat: 'DMY',
      decimalMark: ',',
    })
  })
})

test.each([
  ['uploaded', false, null, 'columns'],
  ['ready', false, null, 'columns'],
  ['queued', true, null, 'check'],
  ['completed_with_errors', true, '2026-03-01T10:00:01.000Z', 'check'],
  ['running', false, null, 'progress'],
  ['completed', false, '2026-03-01T10:00:01.000Z', 'result'],
  ['canceled', true, '2026-03-01T10:00:01.000Z', 'result'],
  ['failed', false, '2026-03-01T10:00:01.000Z', 'result'],
] as const)('an import that is %s, with a dry run %s, is at the step it shows', (status, dryRun, finishedAt, step) => {
  expect(importStepOf({ status, dryRun, finishedAt })).toBe(step)
})
