import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  [{}, true],
  [{ API_CORS: 'on' }, true],
  [{ API_CORS: 'off' }, false],
])('pages of other origins may call the API unless API_CORS is off: %o', (environment, crossOrigin) => {
  expect(readConfig(environment).crossOrigin).toBe(crossOrigin)
})

test.each([
  [{}, true],
  [{ CABINET: 'off' }, false],
])('the server has pages unless CABINET is off: %o', (environment, cabinet) => {
  expect(readConfig(environment).cabinet).toBe(cabinet)
})

const mail = { SMTP_URL: 'smtps://crm:p%40ss@mail.example', SMTP_FROM: 'CRM <crm@mail.example>' }

test('mail is sent through the named server, and through none without one', () => {
  expect(readConfig({}).smtp).toBeUndefined()
  expect(readConfig({ ...mail, PUBLIC_BASE_URL: 'https://crm.example' }).smtp).toEqual({
    host: 'mail.example',
    port: 465,
    tls: 'implicit',
    login: { user: 'crm', password: 'p@ss' },
    from: 'CRM <crm@mail.example>',
  })
})

test.each([
  [{ SMTP_URL: 'smtp://mail.example' }, 'SMTP_URL and SMTP_FROM are set together'],
  [{ SMTP_FROM: 'crm@mail.example' }, 'SMTP_URL and SMTP_FROM are set together'],
  [{ ...mail, SMTP_URL: 'smtp://mail.example?ssl=no' }, 'SMTP_URL is smtp://host:587 or smtps://host:465'],
  [{ ...mail, SMTP_FROM: 'the CRM' }, 'SMTP_FROM is an address'],
  [{ ...mail, PUBLIC_BASE_URL: '' }, 'PUBLIC_BASE_URL is required when SMTP_URL is set'],
])('a half or wrong configuration of mail is refused, without its password: %o', (environment, why) => {
  const base = { PUBLIC_BASE_URL: 'https://crm.example' }
  expect(() => readConfig({ ...base, ...environment })).toThrow(why)
  expect(() => readConfig({ ...base, ...environment })).not.toThrow('p%40ss')
})
