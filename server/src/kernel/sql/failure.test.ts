import { describe, expect, it } from 'vitest'
import { CommitUncertain, failureOf, isDiskFull } from './failure.ts'

/** An error of the driver for an error message of PostgreSQL. */
const said = (code: string, message: string, severity = 'ERROR') =>
  Object.assign(new Error(message), { code, severity })

describe('a disk without room', () => {
  it.each([
    said('53100', 'could not extend file "base/1/2": No space left on device'),
    said('53100', 'konnte Datei nicht erweitern'),
    said('53100', 'could not write to file "pg_wal/xlogtemp.7": No space left on device', 'PANIC'),
    said('58030', 'could not write block 7: No space left on device'),
    said('XX000', 'could not extend file "base/1/2": Disk quota exceeded'),
  ])('is one that PostgreSQL says it has not: %s', error => {
    expect([isDiskFull(error), failureOf(error)]).toEqual([true, 'unavailable'])
  })

  it('is seen also behind a commit of which nobody knows', () => {
    expect(isDiskFull(new CommitUncertain(said('53100', 'could not write')))).toBe(true)
  })

  it.each([
    said('58030', 'could not read block 7: Input/output error'),
    said('53400', 'temporary file size exceeds temp_file_limit (1024kB)'),
    new Error('ENOSPC: no space left on device, write'),
    'No space left on device',
  ])('is not what else goes wrong: %s', error => {
    expect(isDiskFull(error)).toBe(false)
  })
})
