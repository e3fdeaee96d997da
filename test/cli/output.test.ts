import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useCrm } from './support/given.ts'

const given = useCrm()

const escape = '\u001b]0;owned\u0007\u009b2J\u202e'

const aPerson = (members: object) => given.organization.client.post('/contacts', { firstName: 'Anna', ...members })

test('a table on a terminal has a row for each record, and no character that could control the terminal', async () => {
  await aPerson({ jobTitle: `Poet${escape}`, description: 'two\nlines' })
  const { status, out } = await given.inTerminal(['contacts', 'list', '--fields', 'firstName,jobTitle,description'], [])
  expect(status).toBe(0)
  expect(out.replaceAll('\r', '').trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^firstName +jobTitle +description$/u),
    expect.stringMatching(/^Anna +Poet\u{fffd}\]0;owned\u{fffd}\u{fffd}2J\u{fffd} +two lines$/u),
  ])
})

test('the other formats tell the same value without such characters', async () => {
  await aPerson({ jobTitle: `Poet${escape}` })
  const json = await given.inTerminal(['contacts', 'list', '--output', 'json', '--fields', 'jobTitle'], [])
  expect(json.out.trim()).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(JSON.parse(json.out)).toEqual({ jobTitle: `Poet${escape}` })
  const csv = await given.inTerminal(['contacts', 'list', '--output', 'csv', '--fields', 'jobTitle'], [])
  expect(csv.out.trim().replace('\r\n', ' ')).not.toMatch(/[\p{Cc}\u202e]/u)
})

test('what the server says of a value is harmless on a terminal as well', async () => {
  const { err, status } = await given.crm(['api', 'GET', '/contacts?search=%1b%5b2J&sort=%1b%5b2J'])
  expect(status).toBe(1)
  expect(err).not.toContain('\u001b')
})

test('CSV has exact values in columns that stay, and an apostrophe before formulas if asked', async () => {
  await aPerson({ jobTitle: '=cmd()', description: 'a, "b"\nc' })
  const words = ['contacts', 'list', '--output', 'csv', '--fields', 'jobTitle,description,externalId']
  expect((await given.crm(words)).out).toBe('jobTitle,description,externalId\r\n=cmd(),"a, ""b""\nc",\r\n')
  expect((await given.crm([...words, '--csv-safe'])).out).toContain("\r\n'=cmd(),")
  const whole = await given.crm(['contacts', 'list', '-o', 'csv'])
  expect(whole.out.split('\r\n')[0]).toMatch(/^id,externalId,version,displayName,/u)
})

test('a reader that has seen enough ends the program quietly', async () => {
  const { client } = given.organization
  const description = 'long '.repeat(1000)
  const items = Array.from({ length: 100 }, (_, at) => ({ externalId: `p${at}`, firstName: 'A', description }))
  await client.post('/contacts/batch/upsert', { items })
  const command = `'${process.execPath}' '${given.file}' contacts list --all | head -n 1; echo "\${PIPESTATUS[@]}"`
  const env = { PATH: process.env['PATH'], HOME: given.home, ...given.environment }
  const shell = spawn('bash', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])
  expect([out.trimEnd().split('\n').at(-1), err]).toEqual(['0 0', ''])
})

test('a failure stays one if nobody reads the output', async () => {
  const data = JSON.stringify({ items: [{ externalId: 'a', firstName: 'A' }, { externalId: 'b' }] })
  const env = { HOME: given.home, ...given.environment }
  const child = spawn(process.execPath, [given.file, 'contacts', 'batch-upsert', '--data', data], { env })
  child.stdout.destroy()
  const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ status, err }).toEqual({ status: 1, err: 'crm: 1 of 2 were refused\n' })
})

test('attached files are attached, and refused ones a failure, if nobody reads the output', async () => {
  const contact = String((await aPerson({})).data.id)
  const file = join(mkdtempSync(join(tmpdir(), 'crm-file-')), 'offer.txt')
  writeFileSync(file, 'An offer')
  const attach = async (id: string) => {
    const env = { HOME: given.home, ...given.environment }
    const child = spawn(process.execPath, [given.file, 'contacts', 'files', 'attach', id, file], { env })
    child.stdout.destroy()
    const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    return { status, err }
  }
  expect(await attach(contact)).toEqual({ status: 0, err: '' })
  expect((await given.organization.client.get(`/contacts/${contact}/files`)).items).toMatchObject([
    { name: 'offer.txt' },
  ])
  expect(await attach('nobody')).toMatchObject({ status: expect.toSatisfy(status => status === 1 || status === 3) })
})

const nameOrder = 'id, externalId, version, displayName, firstName'

test('fields that no record has are refused before anything is sent, with those that there are', async () => {
  const asked = (words: readonly string[], fields: string) => given.crm([...words, '--fields', fields])
  const create = ['contacts', 'create', '--first-name', 'Anna']
  const { status, err } = await asked(create, 'id,frstName')
  expect([status, err]).toEqual([
    2,
    expect.stringContaining(`there is no field frstName: did you mean firstName? There are ${nameOrder}`),
  ])
  expect((await asked(create, 'contactData.emial.0.value')).err).toContain('There are phones, emails, addresses')
  expect((await asked(create, 'id.value')).err).toContain('there is no field id.value')
  expect((await asked(['changes', 'follow'], 'sequence')).err).toContain('There are id, seq, kind')
  expect((await given.organization.client.get('/contacts')).items).toEqual([])

  const known = await asked(create, 'customFields.region,contactData.emails.3.value,firstName')
  expect(JSON.parse(known.out)).toEqual({
    'customFields.region': null,
    'contactData.emails.3.value': null,
    firstName: 'Anna',
  })
  // The program knows no answer to any request: the fields of the first records count.
  const any = await asked(['api', 'GET', '/contacts'], 'firstname')
  expect(any).toMatchObject({ status: 2, out: '' })
  expect(any.err).toContain('the answer is not shown: there is no field firstname: did you mean firstName?')
})

test('a quiet command says nothing but errors', async () => {
  const items = Array.from({ length: 60 }, (_, at) => ({ externalId: `p${at}`, firstName: 'A' }))
  await given.organization.client.post('/contacts/batch/upsert', { items })
  expect((await given.crm(['contacts', 'list', '-q'])).err).toBe('')
})
