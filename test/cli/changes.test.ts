import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { raiseEpochOf } from '../../server/src/kernel/sql/index.ts'
import { aContact } from '../support/builders.ts'
import { until } from '../support/waiting.ts'
import { useCrm } from './support/given.ts'
import { aFolder } from './support/people-file.ts'

const given = useCrm()

const aNewContact = async () => String((await given.organization.client.post('/contacts', aContact())).data.id)
const cursor = async () => String((await given.organization.client.get('/changes/cursor')).data.cursor)
const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

async function aWonDeal(): Promise<string> {
  const { client, stages } = given.organization
  const { data } = await client.post('/deals', { title: 'Chairs', contacts: [{ id: await aNewContact() }] })
  await client.patch(`/deals/${String(data.id)}/move`, { expectedVersion: 1, stageUuid: stages.won })
  return String(data.id)
}

describe('crm changes follow', () => {
  test('prints the elements of the feed as they come, and ends with a signal', async () => {
    const begin = await cursor()
    const first = await aNewContact()
    const program = given.start(['changes', 'follow', '--from', begin])
    await program.printed(new RegExp(first, 'u'))
    const second = await aNewContact()
    await program.printed(new RegExp(second, 'u'))
    const { status, out, err } = await program.end('SIGINT')
    expect([status, err]).toEqual([0, ''])
    expect(linesIn(out)).toEqual((await given.organization.client.get(`/changes?after=${begin}`)).items)
  })

  test('prints what is asked for: an event that has won a deal, by that name', async () => {
    const begin = await cursor()
    await aNewContact()
    const deal = await aWonDeal()
    const program = given.start(['changes', 'follow', '--from', begin, '--kinds', 'deal.won,deal.created'])
    await program.printed(/deal\.won/u)
    const { out } = await program.end('SIGTERM')
    expect(linesIn(out)).toMatchObject([
      { kind: 'deal.created', resourceId: deal },
      { kind: 'deal.won', resourceId: deal, version: 2 },
    ])
  })

  test('runs a command for each event, remembers each that it has handled, and goes on behind them', async () => {
    const folder = aFolder()
    const [file, seen] = [join(folder, 'cursor'), join(folder, 'seen')]
    writeFileSync(file, JSON.stringify({ cursor: await cursor(), seq: 0 }))
    for (let contact = 0; contact < 3; contact++) await aNewContact()
    // The second event stops it once.
    const exec = `read line; echo "$line" >> ${seen}; test "$(wc -l < ${seen})" != 2`
    const words = ['changes', 'follow', '--cursor-file', file, '--exec', exec]
    const { status, out, err } = await given.crm(words)
    expect([status, out, err]).toEqual([
      1,
      '',
      'crm: the command ended with the status 1 at the event 2, which is the next one again\n',
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ seq: 1 })

    const program = given.start(words)
    await until('all events', () => linesIn(readFileSync(seen, 'utf8')).length === 4)
    await until('the cursor behind them', () => JSON.parse(readFileSync(file, 'utf8')).seq === 0)
    await program.end('SIGINT')
    expect(linesIn(readFileSync(seen, 'utf8')).map(({ seq }) => seq)).toEqual([1, 2, 2, 3])
  })

  test('kills a command that takes too long, and all that it has started, and its event is the next one again', async () => {
    const begin = await cursor()
    await aNewContact()
    // What the shell has started holds the output open for as long as it lives.
    const words = ['changes', 'follow', '--from', begin, '--exec', 'sleep 3600 & sleep 3600', '--exec-timeout', '1']
    const { status, err } = await given.crm(words)
    expect([status, err]).toEqual([
      1,
      'crm: the command took longer than 1 s and was killed at the event 1, which is the next one again\n',
    ])
  })

  test('lets the command under way end after a signal, and kills it after a second one', async () => {
    const begin = await cursor()
    await aNewContact()
    const words = ['changes', 'follow', '--from', begin, '--exec']
    const patient = given.start([...words, 'echo begun; read line; sleep 1; echo ended'])
    await patient.printed(/begun/u)
    const { status, out } = await patient.end('SIGINT')
    expect([status, out]).toEqual([0, 'begun\nended\n'])

    const hasty = given.start([...words, 'echo begun; sleep 3600'])
    await hasty.printed(/begun/u)
    hasty.send('SIGINT')
    expect([130, 143]).toContain((await hasty.end('SIGTERM')).status)
  })

  test.each(['0', '86401', 'soon'])('refuses %s as the seconds of a command', async seconds => {
    const { status, err } = await given.crm(['changes', 'follow', '--exec', 'true', '--exec-timeout', seconds])
    expect([status, err]).toEqual([2, expect.stringContaining('--exec-timeout takes')])
  })

  test('begins now and writes that down, so that it misses nothing afterwards', async () => {
    const file = join(aFolder(), 'cursor')
    await aNewContact()
    const words = ['changes', 'follow', '--cursor-file', file]
    const first = given.start(words)
    await until('the cursor', () => existsSync(file))
    await first.end('SIGINT')
    const id = await aNewContact()
    const second = given.start(words)
    await second.printed(new RegExp(id, 'u'))
    expect(linesIn((await second.end('SIGINT')).out)).toHaveLength(1)
  })

  test('ends with the status 6 when events are gone, and goes on when asked to', async () => {
    const begin = await cursor()
    await aNewContact()
    await given.api.test.database.query(raiseEpochOf, [given.organization.id])
    const words = ['changes', 'follow', '--from', begin]
    const { status, err } = await given.crm(words)
    expect([status, err]).toEqual([6, expect.stringMatching(/^crm: events before now are gone: .*--skip-missing/u)])

    const program = given.start([...words, '--skip-missing'])
    await until('the sentence', () => program.err.includes('events before now are gone'))
    const id = await aNewContact()
    await program.printed(new RegExp(id, 'u'))
    expect((await program.end('SIGINT')).status).toBe(0)
  })

  test('refuses an unknown kind, and a file that is no position or no file', async () => {
    const [other, pipe] = ['other', 'pipe'].map(name => join(aFolder(), name))
    writeFileSync(other ?? '', 'mine')
    execFileSync('mkfifo', [pipe ?? ''])
    const refused = async (words: readonly string[]) => {
      const { status, err } = await given.crm(['changes', 'follow', ...words])
      return [status, err]
    }
    expect(await refused(['--kinds', 'deal.one'])).toEqual([2, expect.stringContaining('did you mean deal.won')])
    expect(await refused(['--cursor-file', other ?? ''])).toEqual([
      1,
      expect.stringContaining('has no cursor of this program'),
    ])
    expect(await refused(['--from', await cursor(), '--cursor-file', pipe ?? ''])).toEqual([
      1,
      expect.stringContaining('is no regular file'),
    ])
    expect(statSync(pipe ?? '').isFIFO()).toBe(true)
  })

  test('ends when the token may not read what is asked for', async () => {
    const { token } = await given.organization.token(['crm_contacts_read'])
    const environment = { ...given.environment, CRM_TOKEN: token }
    const { status, err } = await given.crm(['changes', 'follow', '--kinds', 'deal.*', '--from', await cursor()], {
      environment,
    })
    expect([status, err]).toEqual([1, expect.stringContaining('the token needs crm_deals_read')])
  })
})
