import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, readPage } from '../documentation/markdown.ts'
import { aCalledServer } from '../support/called-server.ts'
import { Program } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { useCrm } from './support/given.ts'
import { aFolder } from './support/people-file.ts'

const given = useCrm()
const examples = blocksOf((await readPage('docs/cli.md')).text).filter(({ language }) => language === 'sh')

/** Starts the example with these words, as it is printed, in a folder. */
function start(words: string, folder: string, changed: (line: string) => string = line => line): Program {
  const line = examples.flatMap(({ text }) => text.split('\n')).find(each => each.includes(words))
  if (line === undefined) throw new Error(`no example has ${words}`)
  const code = `cd '${folder}'; crm() { exec '${process.execPath}' '${given.file}' "$@"; }; ${changed(line)}`
  return new Program(['bash', '-c', code], { HOME: given.home, ...given.environment })
}

test('the file is written, and a row without a key is in the file of failures', async () => {
  const folder = aFolder()
  writeFileSync(join(folder, 'people.csv'), 'No,firstName,E-mail\nA-1,Anna,anna@example.com\n,Bob,bob@example.com\n')
  const { status, out } = await start('--file people.csv', folder).ended
  expect([status, JSON.parse(out)]).toMatchObject([1, { run: 'erp-2026-11-28', written: 1, refused: 1 }])
  expect(readFileSync(join(folder, 'refused.csv'), 'utf8')).toContain(',,Bob,bob@example.com')
})

test('the command is run for each event, and the position is remembered', async () => {
  const folder = aFolder()
  writeFileSync(join(folder, 'on-deal'), '#!/bin/sh\ncat >> seen\n')
  chmodSync(join(folder, 'on-deal'), 0o755)
  const program = start('changes follow', folder)
  await until('the position', () => existsSync(join(folder, 'position')))
  expect((await given.crm(['trigger', 'deal.won', '--yes'])).status).toBe(0)
  const seen = () => readFileSync(join(folder, 'seen'), 'utf8').trimEnd().split('\n')
  await until('three events', () => existsSync(join(folder, 'seen')) && seen().length === 3)
  expect(seen().map(line => JSON.parse(line).kind)).toEqual(['deal.created', 'deal.moved', 'deal.won'])
  expect((await program.end('SIGINT')).status).toBe(0)
})

test('the receiver gets the event that was made to happen', async () => {
  const receiver = await aCalledServer()
  const { data } = await given.organization.client.get('/changes/cursor')
  // The events from now on begin when the server has told where that is.
  const changed = (line: string) => `${line.replace('8080', `${receiver.port}`)} --from ${String(data.cursor)}`
  const program = start('webhooks listen', aFolder(), changed)
  await until('the beginning', () => program.err.includes('sending'))
  expect((await start('crm trigger', aFolder(), line => `${line} --yes`).ended).status).toBe(0)
  await until('two messages', () => receiver.received.length === 2)
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['contact.created', 'deal.won'])
  await program.end('SIGINT')
})
