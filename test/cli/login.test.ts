import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCrm } from './support/given.ts'

const given = useCrm()

const folder = () => join(given.home, '.config', 'crm')
const login = (...words: string[]) =>
  given.crm(['login', '--url', given.api.url, ...words], {
    input: `${given.organization.client.token}\n`,
    environment: {},
  })

test('login stores a token that later commands use, and logout forgets it', async () => {
  const { status, out, err } = await login()
  expect({ status, out, err }).toEqual({
    status: 0,
    out: '',
    err: 'logged in to Test as Integration (profile default)\n',
  })
  const who = await given.crm(['whoami'], { environment: {} })
  expect(JSON.parse(who.out)).toMatchObject({ url: given.api.url, organization: 'Test', application: 'Integration' })
  expect((await given.crm(['logout'], { environment: {} })).status).toBe(0)
  expect(readdirSync(folder())).toEqual([])
  const forgotten = await given.crm(['whoami'], { environment: {} })
  expect(forgotten).toMatchObject({ status: 2, out: '', err: expect.stringContaining('crm login makes it') })
})

test('a profile is for its user alone, and one that others can read is refused', async () => {
  await login('--profile', 'shop')
  const file = join(folder(), 'shop.json')
  expect([statSync(folder()).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  expect((await given.crm(['whoami'], { environment: { CRM_PROFILE: 'shop' } })).status).toBe(0)
  chmodSync(file, 0o640)
  const refused = await given.crm(['whoami', '--profile', 'shop'], { environment: {} })
  expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining('run chmod 600') })
})

test('login stores nothing if the server does not know the token, and repeats no token', async () => {
  const token = given.organization.client.token.replace(/.{5}$/u, 'wrong')
  const refused = await given.crm(['login', '--url', given.api.url], { input: token, environment: {} })
  expect(refused.status).toBe(1)
  expect(refused.err).toContain('invalid_token')
  expect(refused.out + refused.err).not.toContain(token)
  expect((await given.crm(['whoami'], { environment: {} })).status).toBe(2)
})

test('two answers to the question which server are refused', async () => {
  await login()
  const both = await given.crm(['whoami', '--profile', 'default'])
  expect(both).toMatchObject({ status: 2, err: expect.stringContaining('leave one of them out') })
  const half = await given.crm(['whoami'], { environment: { CRM_URL: given.api.url } })
  expect(half).toMatchObject({ status: 2, err: expect.stringContaining('set both, or neither') })
})

test('on a terminal login asks, and does not show the token', async () => {
  const { token } = given.organization.client
  const shown = await given.inTerminal(
    ['login'],
    [
      ['Address of the server', given.api.url],
      ['Token', token],
    ],
    {},
  )
  expect(shown.out).toContain('logged in to Test as Integration')
  expect(shown.out).not.toContain(token)
  expect((await given.crm(['whoami'], { environment: {} })).status).toBe(0)
})

test('address and token that are pasted together answer one question each, and the token is not shown', async () => {
  const { token } = given.organization.client
  const shown = await given.inTerminal(['login'], [['Address of the server', `${given.api.url}\r${token}`]], {})
  expect(shown.out).toContain('logged in to Test as Integration')
  expect(shown.out).not.toContain(token)
})

test('Ctrl-C ends a question with the status of that signal', async () => {
  expect((await given.inTerminal(['login'], [['Address of the server', '\u0003']], {})).status).toBe(130)
  const confirmation = await given.inTerminal(['trigger', 'contact.created'], [['[y/N]', '\u0003']])
  expect(confirmation.status).toBe(130)
})

test('an address without its scheme is a wrong use that says how to write it', async () => {
  const environment = { CRM_URL: 'crm.example.org', CRM_TOKEN: 'crm_token' }
  const said = 'crm: crm.example.org is no address of a server: write it as https://crm.example.org\n'
  expect(await given.crm(['whoami'], { environment })).toMatchObject({ status: 2, err: said })
})

test('login warns before it sends a token in clear', async () => {
  const url = 'http://crm.invalid'
  const { err } = await given.crm(['login', '--url', url], { input: 'crm_token', environment: {} })
  expect(err).toMatch(/^warning: the token goes over the network in clear/u)
})

test('a profile behind a symbolic link is written where it is', async () => {
  const kept = join(given.home, 'kept.json')
  mkdirSync(folder(), { recursive: true })
  writeFileSync(kept, '')
  symlinkSync(kept, join(folder(), 'default.json'))
  expect((await login()).status).toBe(0)
  expect(lstatSync(join(folder(), 'default.json')).isSymbolicLink()).toBe(true)
  expect((await given.crm(['whoami'], { environment: {} })).status).toBe(0)
})

test('help names the exit statuses', async () => {
  const { out } = await given.crm([])
  expect(out).toMatch(/Exit statuses:\n {2}0 {2}done\n[^]* {2}6 {2}events/u)
})

test('a command that does not exist is a wrong use', async () => {
  expect(await given.crm(['contcts'])).toMatchObject({ status: 2, out: '', err: expect.stringContaining('contcts') })
})

test('a server that does not answer is told from one that refuses', async () => {
  const environment = { CRM_URL: 'http://127.0.0.1:9', CRM_TOKEN: 'crm_token' }
  const { status, err } = await given.crm(['whoami', '--quiet'], { environment })
  expect({ status, lines: err.split('\n').length }).toEqual({ status: 5, lines: 2 })
})
