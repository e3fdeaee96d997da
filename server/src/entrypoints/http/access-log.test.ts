import { describe, expect, it } from 'vitest'
import { bounds } from '../../kernel/index.ts'
import { AccessLog, type AccessLogForm, type AccessLogLine } from './access-log.ts'

const { most } = bounds.accessLogLines
const answered = {
  prefix: '/api/v1/crm',
  requestId: '019bd1c8-7c40-7216-8375-9e8b775eecc8',
  operation: 'contacts.get',
  method: 'GET',
  application: '019bd1c8-7c40-741a-8b91-4e97b3035000',
  status: 200,
  seconds: 0.012_34,
  bytes: 812,
}

/** A log, its lines, and how to answer many requests in one second of its clock. */
function aLog(form: AccessLogForm) {
  const lines: AccessLogLine[] = []
  let now = 0
  const log = new AccessLog(
    form,
    line => lines.push(line),
    () => now,
  )
  const answer = (at: number, count: number, facts = {}) => {
    now = at * 1000
    const before = lines.length
    for (let each = 0; each < count; each += 1) log.note({ ...answered, ...facts })
    return lines.slice(before)
  }
  return { lines, answer }
}

describe('the access log', () => {
  it('has a line for each request while there are few', () => {
    const { prefix: _, seconds: __, ...told } = answered
    expect(aLog('all').answer(0, 1)).toEqual([{ ...told, ms: 12.3 }])
    expect(aLog('all').answer(0, most)).toHaveLength(most)
  })

  it('has lines for refusals and failures alone, where it is set so', () => {
    const { answer } = aLog('errors')
    expect(answer(0, 3)).toEqual([])
    expect(answer(0, 1, { status: 409, code: 'version_conflict' })).toMatchObject([{ code: 'version_conflict' }])
  })

  it('has a bounded number of lines in a second, which say for how many requests they stand', () => {
    const { lines, answer } = aLog('all')
    expect(answer(0, 10 * most)).toHaveLength(most)
    // The next second begins with what the one before has left untold, and is a sample from its beginning.
    const next = answer(1, 10 * most)
    expect(next).toHaveLength(most)
    expect(next.map(({ requests }) => requests)).toEqual([9 * most + 10, ...Array.from({ length: most - 1 }, () => 10)])
    // After a silent second each request has its line again.
    expect(answer(3, 2)).toHaveLength(2)
    expect(lines.reduce((sum, { requests = 1 }) => sum + requests, 0)).toBe(20 * most + 2)
  })
})
