import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { exitStatus } from '../../packages/cli/src/failure.ts'
import { blocksOf, readPage } from '../documentation/markdown.ts'
import { useCrm } from './support/given.ts'

const given = useCrm()
const page = (await readPage('docs/cli.md')).text

test('the examples run as they are printed, one after another', async () => {
  const examples = blocksOf(page).filter(({ language }) => language === 'bash')
  const script = examples
    .map(({ text: lines }) => lines)
    .join('')
    .replaceAll('https://crm.example.org', given.api.url)
  const folder = join(given.home, 'work')
  mkdirSync(folder)
  const env = { PATH: process.env['PATH'], HOME: given.home, NODE: process.execPath, CRM_FILE: given.file }
  const code = `set -euo pipefail\ncrm() { "$NODE" "$CRM_FILE" "$@"; }\n${script}`
  const shell = spawn('bash', ['-c', code], { cwd: folder, env, stdio: 'pipe' })
  shell.stdin.end(given.organization.client.token)
  const [out, err, [status]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])
  expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(/^logged in to Test as Integration/u) })
  expect(out).toContain('"displayName":"Petrova Anna"')
  expect(out).toContain('"jobTitle":"Director"')
  expect(readFileSync(join(folder, 'audit.csv'), 'utf8')).toContain('contact')
  expect(examples.length).toBeGreaterThan(3)
})

test('the exit statuses are those of the program', () => {
  const documented = [...page.matchAll(/^\| (\d) \|/gmu)].map(([, status]) => Number(status))
  expect(documented).toEqual(Object.values(exitStatus))
})
