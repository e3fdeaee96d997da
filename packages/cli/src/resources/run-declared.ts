import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Crm, WithResponse, WriteOptions } from 'crm-sdk'
import { CommandFailure, repeatable, UsageError } from '../failure.ts'
import { answerNames } from '../generated/answer-names.ts'
import { readBody } from '../input.ts'
import type { Invocation } from '../invocation.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { Output } from '../output/output.ts'
import { sheetOf } from '../output/table.ts'
import type { DeclaredCommand, DeclaredOption } from './declared.ts'
import { type GivenValues, given } from './given.ts'
import { pagesOf } from './pages.ts'

interface RunOptions extends GivenValues {
  readonly data?: string
  readonly limit?: number
  readonly all?: boolean
  readonly yes?: boolean
  readonly idempotencyKey?: string
}

/**
 * Calls the operation of a command and prints its answer. Reads the version that it needs, unless it is given; asks before it erases. Throws
 * UsageError, before anything is sent, if the API would refuse the request because a value is missing.
 */
export async function runDeclared(declared: DeclaredCommand, command: Command, invocation: Invocation): Promise<void> {
  const { operation, parameters, reads, erases = false } = declared
  const options = command.opts<RunOptions>()
  const output = invocation.outputOf(command, answerNames[declared.answer])
  const path = command.args.slice(0, parameters.length)
  const { query, body: members } = given(declared.options, options)
  const body = await bodyOf(declared, options, members, command.args.slice(parameters.length), invocation)
  const told = { ...query, ...(isObject(body) && body) }
  refuseMissing(declared, told)
  const crm = await invocation.crmOf(command)
  if (operation.paged)
    return printPages(crm, declared, { path, query }, options, output, text => invocation.tell(command, text))

  const read =
    reads === undefined || !needsReading(erases, told, options) ? undefined : await crm.request(reads, { path })
  if (erases) await askToErase(declared, path, { told, read }, options, invocation)
  const version = told['expectedVersion'] ?? (isObject(read) ? read['version'] : undefined)
  const sent =
    operation.cas === 'query'
      ? { query: withVersion(query, version), body }
      : { query, body: isObject(body) ? withVersion(body, version) : body }
  const repeatedWith = version === undefined ? [] : [`--expected-version ${String(version)}`]
  const call = crm.request(operation, { path, ...sent }, keyOf(options)).withResponse()
  await printAnswer(await repeatable(call, repeatedWith), output)
}

function refuseMissing({ options, reads }: DeclaredCommand, told: JsonObject): void {
  const isRead = ({ name }: DeclaredOption) => name === 'expectedVersion' && reads !== undefined
  const missing = options.filter(option => option.required && !isRead(option) && told[option.name] === undefined)
  if (missing.length > 0)
    throw new UsageError(`say ${missing.map(({ flag }) => `--${flag}`).join(' and ')} (--help tells more)`)
}

/**
 * What an erasure would do is read, because somebody is asked. Otherwise a version that is given saves the request, and so it does when a
 * command is repeated with its key: what it would do may be done already.
 */
function needsReading(erases: boolean, told: JsonObject, { idempotencyKey }: RunOptions): boolean {
  return told['expectedVersion'] === undefined || (erases && idempotencyKey === undefined)
}

/** The version comes first, given or read: a command that is repeated sends the same bytes. */
function withVersion(members: JsonObject, expectedVersion: unknown): JsonObject {
  return expectedVersion === undefined ? members : { expectedVersion, ...members }
}

async function bodyOf(
  { operation, options, erases }: DeclaredCommand,
  { data }: RunOptions,
  members: JsonObject,
  files: readonly string[],
  { shell }: Invocation,
): Promise<JsonObject | FormData | undefined> {
  if (operation.body === undefined) return undefined
  if (operation.body === 'form') return formOf(files)
  const body = { ...(data !== undefined && (await readBody(shell, data))), ...members }
  const isEmpty = Object.keys(body).every(name => name === 'expectedVersion')
  if (isEmpty && data === undefined && !erases)
    throw new UsageError(`say what to write: --data ${options.length > 0 ? 'or options ' : ''}(--help names them)`)
  return body
}

async function formOf(files: readonly string[]): Promise<FormData> {
  const form = new FormData()
  for (const file of files) {
    const bytes = await readFile(file).catch((error: unknown) => {
      throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    })
    form.append('files', new Blob([bytes]), basename(file))
  }
  return form
}

async function askToErase(
  { words, summary }: DeclaredCommand,
  path: readonly string[],
  { told, read }: { readonly told: JsonObject; readonly read: unknown },
  { yes = false }: RunOptions,
  invocation: Invocation,
): Promise<void> {
  if (yes) return
  if (isObject(read)) invocation.shell.say(`${sheetOf(read)}\n\n`)
  const { expectedVersion: _, ...choices } = told
  const chosen = Object.entries(choices).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`)
  await invocation.confirm(`${summary}: ${words.slice(0, -1).join(' ')} ${path.join(' ')}${chosen.join('')}?`)
}

async function printPages(
  crm: Crm,
  { operation }: DeclaredCommand,
  { path, query }: { readonly path: readonly string[]; readonly query: JsonObject },
  { limit, all = false }: RunOptions,
  output: Output,
  tell: (text: string) => void,
): Promise<void> {
  if (all && limit !== undefined) throw new UsageError('--all and --limit exclude each other')
  let room = all ? Number.POSITIVE_INFINITY : (limit ?? 50)
  const read = (cursor: string | undefined) =>
    crm.request(operation, { path, query: { ...query, limit: Math.min(100, room), cursor } }).withResponse()
  for await (const { data, nextCursor } of pagesOf(read)) {
    await output.page(data)
    room -= data.length
    if (room > 0) continue
    if (nextCursor !== null && limit === undefined) tell('there are more: --all shows them, --limit some')
    return
  }
}

/** Prints the data of an answer. Throws CommandFailure, after that, if parts of the request were refused. */
async function printAnswer({ data, meta }: WithResponse<unknown>, output: Output): Promise<void> {
  if (!Array.isArray(data)) return output.record(data)
  await output.records(data)
  const { failed } = meta
  const refused = data.filter(element => isObject(element) && isObject(element['error']))
  if (refused.length > 0) throw new CommandFailure(`${refused.length} of ${data.length} were refused`)
  if (Array.isArray(failed) && failed.length > 0)
    throw new CommandFailure(`not kept: ${failed.map(file => JSON.stringify(file)).join(', ')}`)
}

function keyOf({ idempotencyKey }: RunOptions): WriteOptions {
  return idempotencyKey === undefined ? {} : { idempotencyKey }
}
