import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { buildCli } from '../../../packages/cli/scripts/bundle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { onceInRun } from '../../support/once-in-run.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'
import { type Ending, type Environment, Program } from '../../support/process.ts'
import { until } from '../../support/waiting.ts'

/** How a command is run. */
interface Running {
  /** What it reads from standard input: nothing unless given. */
  readonly input?: string
  /** Replaces the environment with server and token. */
  readonly environment?: Environment
}

/** What the tests of one file share: an API and the program as it is installed. Each test has an organization and a home folder. */
export interface GivenCrm {
  readonly api: TestApi
  readonly organization: TestOrganization
  /** The home folder of the user. */
  readonly home: string
  /** The file of the program. */
  readonly file: string
  /** Server and token. */
  readonly environment: Environment
  /** Runs a command to its end, without a terminal. */
  crm(words: readonly string[], running?: Running): Promise<Ending>
  /** Starts a command that goes on until a signal. */
  start(words: readonly string[], environment?: Environment): Program
  /** Runs a command in a terminal, where somebody waits for each question and types the answer. Resolves to what the terminal shows. */
  inTerminal(
    words: readonly string[],
    answers: readonly (readonly [question: string, answer: string])[],
    environment?: Environment,
  ): Promise<Ending>
}

export function useCrm(): GivenCrm {
  let api: TestApi | undefined
  let organization: TestOrganization | undefined
  let file = ''
  let home = ''
  beforeAll(async () => {
    file = join(await onceInRun('crm-cli', buildCli), 'crm.js')
    api = await startApi()
    home = mkdtempSync(join(tmpdir(), 'crm-home-'))
  })
  beforeEach(async () => {
    if (api !== undefined) organization = await anOrganization(api)
    rmSync(join(home, '.config'), { recursive: true, force: true })
  })
  afterAll(async () => {
    await api?.close()
    if (home !== '') rmSync(home, { recursive: true })
  })
  const begun = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('no test has begun')
    return value
  }
  const own = (): Environment => ({ CRM_URL: begun(api).url, CRM_TOKEN: begun(organization).client.token })
  return {
    get api() {
      return begun(api)
    },
    get organization() {
      return begun(organization)
    },
    get home() {
      return home
    },
    get file() {
      return file
    },
    get environment() {
      return own()
    },
    crm: (words, { input = '', environment = own() } = {}) =>
      run([process.execPath, file, ...words], input, { HOME: home, ...environment }),
    start: (words, environment = own()) =>
      new Program([process.execPath, file, ...words], { HOME: home, ...environment }),
    inTerminal: async (words, answers, environment = own()) => {
      const command = [process.execPath, file, ...words].map(word => `'${word}'`).join(' ')
      const script = ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null']
      const child = begin('script', script, { HOME: home, TERM: 'xterm', ...environment })
      let shown = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => void (shown += part))
      const ended = once(child, 'close')
      for (const [question, answer] of answers) {
        await until(`${question} on the terminal`, () => shown.includes(question))
        child.stdin.write(`${answer}\r`)
      }
      const [status, signal] = await ended
      return { status, signal, out: shown, err: '' }
    },
  }
}

const begin = (program: string, words: readonly string[], environment: Environment) =>
  spawn(program, words, { env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe' })

async function run(
  [program = '', ...words]: readonly string[],
  input: string,
  environment: Environment,
): Promise<Ending> {
  const child = begin(program, words, environment)
  // A command may end without having read what it is given.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, err, [status, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status, signal, out, err }
}
