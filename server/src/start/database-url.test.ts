import { describe, expect, it } from 'vitest'
import { whyUnreachable } from './database-url.ts'

const address = { host: 'db.example', port: 5432, database: 'crm', user: 'crm' }
const url = 'postgres://crm:hunter2@db.example:5432/crm'
const understood = 'DATABASE_URL (host db.example, port 5432, database crm, user crm): '
const failed = (message: string, code?: string) => Object.assign(new Error(message), code === undefined ? {} : { code })

describe('the reason why a database cannot be reached', () => {
  it.each([
    [failed('connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED'), 'Is PostgreSQL running there'],
    [failed('timeout expired'), 'Is PostgreSQL running there'],
    [
      failed('getaddrinfo ENOTFOUND db.example', 'ENOTFOUND'),
      'No host of that name is known; in a password, @ / # ? %',
    ],
    [failed('password authentication failed for user "crm"', '28P01'), 'written %40 %2F %23 %3F %25'],
    [failed('SASL: client password must be a string'), 'The URL has no password: postgres://USER:PASSWORD@HOST:PORT/'],
    [failed('no pg_hba.conf entry for host "10.0.0.2"', '28000'), 'create role "crm" login password'],
    [failed('database "crm" does not exist', '3D000'), 'create database "crm" owner "crm" encoding'],
  ])('says how the URL was understood, and after "%s" what to do', (error, advice) => {
    const reason = whyUnreachable(url, address, error)
    expect(reason).toContain(`${understood}${error.message}. `)
    expect(reason).toContain(advice)
    expect(reason).not.toContain('hunter2')
  })

  it('gives the error of each address of a host', () => {
    const both = new AggregateError(
      [failed('connect ECONNREFUSED ::1:1'), failed('connect ECONNREFUSED 127.0.0.1:1')],
      'the system says nothing of its own',
    )
    both.message = ''
    expect(whyUnreachable(url, address, both)).toBe(
      `${understood}connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1`,
    )
  })

  it.each([
    ['postgres://crm:p@ss/word@db.example/crm', { ...address, host: 'ss', database: 'word@db.example/crm' }, 'ss'],
    ['postgres://crm:1#ss@db.example/crm', { ...address, host: 'crm', port: 1 }, 'ss'],
    ['postgres://crm:1?word@db.example/crm', { ...address, host: 'crm', port: 1 }, 'word'],
  ])('shows nothing of a URL in which the password was cut off: %s', (cut, taken, part) => {
    const reason = whyUnreachable(cut, taken, failed(`getaddrinfo ENOTFOUND ${part}`, 'ENOTFOUND'))
    expect(reason).toBe(
      'DATABASE_URL is understood in another way than it is meant (ENOTFOUND): in a password, @ / # ? % are written %40 %2F %23 %3F %25.',
    )
  })

  it('repeats the error alone for a URL that cannot be parsed', () => {
    expect(whyUnreachable('postgres://%zz', null, failed('URI malformed'))).toBe('DATABASE_URL: URI malformed')
  })
})
