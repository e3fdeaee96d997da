import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Entrypoints, runCli } from '../../server/src/entrypoints/cli/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createTestDatabase, type TestDatabase, testSecretText } from './database.ts'

type Environment = Readonly<Record<string, string>>

/** Runs a command in this process as the program does in a process of its own. */
export async function runCommand(words: readonly string[], variables: Environment, entrypoints: Entrypoints) {
  let out = ''
  let err = ''
  const streams = {
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
  }
  const status = await runCli(words, variables, entrypoints, streams)
  return { status, out, err }
}

/** Runs commands in this process, on a database of the test file. */
export class Commands {
  readonly test: TestDatabase
  readonly environment: Environment
  readonly #entrypoints: Entrypoints

  constructor(test: TestDatabase, environment: Environment, entrypoints: Entrypoints) {
    this.test = test
    this.environment = environment
    this.#entrypoints = entrypoints
  }

  run(words: readonly string[], variables = this.environment) {
    return runCommand(words, variables, this.#entrypoints)
  }

  /** Runs a command with `--json`; standard output must be one document, standard error empty. */
  async json(...words: string[]): Promise<JsonObject> {
    const { status, out, err } = await this.run([...words, '--json'])
    expect({ status, err }).toEqual({ status: 0, err: '' })
    const document: unknown = JSON.parse(out)
    if (!isObject(document)) throw new Error(`no JSON object: ${out}`)
    return document
  }

  /** Runs a command that fails; standard output must be empty, and standard error one line. */
  async reasonOf(...words: string[]): Promise<string> {
    const { status, out, err } = await this.run(words)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toMatch(/^[^\n]+\n$/u)
    return err.trim()
  }

  /** The first row of a statement with the parameter $1. */
  async one(text: string, id: unknown) {
    const name = `test_${text.replace(/\W+/gu, '_').slice(0, 40)}_${text.length}`
    return (await this.test.database.search(statement(name, text), [id]))[0]
  }
}

/** The commands of a test file; available once its tests run. */
export function useCommands(entrypoints: Entrypoints): () => Commands {
  let commands: Commands
  beforeAll(async () => {
    commands = await commandsOn(await createTestDatabase(), entrypoints)
  })
  afterAll(async () => {
    await commands?.test.drop()
    if (commands) await removeFolder(commands)
  })
  return () => commands
}

interface CommandOptions {
  readonly secret?: string
  /** The data directory of a server on the same database; by default the commands have one of their own. */
  readonly dataDirectory?: string
}

/** Commands on a database that may be shared; `removeFolder` removes their folder. */
export async function commandsOn(
  test: TestDatabase,
  entrypoints: Entrypoints,
  { secret = testSecretText, dataDirectory }: CommandOptions = {},
): Promise<Commands> {
  const { location } = test
  if ('url' in location) throw new Error('the database of the tests is reached through a socket')
  const { host, port, user, database } = location
  const environment = {
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    CRM_SECRET: secret,
    CRM_DATA_DIR: dataDirectory ?? (await mkdtemp(join(tmpdir(), 'crm-cli-'))),
  }
  return new Commands(test, environment, entrypoints)
}

export async function removeFolder({ environment }: Commands): Promise<void> {
  await rm(String(environment.CRM_DATA_DIR), { recursive: true, force: true })
}
