import { CrmError } from 'crm-sdk'
import { isObject } from './json.ts'
import { inOneLine } from './output/printable.ts'

/** The exit statuses of the program, as documented in `docs/cli.md`. */
export const exitStatus = { done: 0, refused: 1, usage: 2, missing: 3, conflict: 4, unavailable: 5, missed: 6 } as const

/** What they mean, for the help of the program. */
export const exitMeanings: Readonly<Record<keyof typeof exitStatus, string>> = {
  done: 'done',
  refused: 'refused by the server or by you, or partly refused',
  usage: 'wrong use',
  missing: 'not there',
  conflict: 'conflict: read the record again',
  unavailable: 'no answer of the API, or none now',
  missed: 'events of the feed are missing',
}

/** Input that no request can be made of. The message says what to write instead. */
export class UsageError extends Error {}

/** A command that ends without having done what it was asked for, though no request failed. */
export class CommandFailure extends Error {
  readonly status: number

  constructor(message: string, status: number = exitStatus.refused) {
    super(message)
    this.status = status
  }
}

/** The reader of the output is gone, and there is nothing to do but to print. The command ends as one that is done. */
export class ReaderGone extends Error {}

/** Somebody ended a question by Ctrl-C. The command ends with the status that shells give a signal. */
export class Interrupted extends Error {}

/** A write that failed, whose command can be repeated with its key. */
class WriteFailure extends Error {
  readonly failure: CrmError
  /** The options that the repeated command needs besides, so that it sends the same request. */
  readonly repeatedWith: readonly string[]

  constructor(failure: CrmError, repeatedWith: readonly string[]) {
    super(failure.message)
    this.failure = failure
    this.repeatedWith = repeatedWith
  }
}

/** Awaits a write of a command that takes --idempotency-key: its failure tells how to repeat it, with the key and these options. */
export async function repeatable<Result>(
  write: Promise<Result>,
  repeatedWith: readonly string[] = [],
): Promise<Result> {
  try {
    return await write
  } catch (failure) {
    throw CrmError.is(failure) ? new WriteFailure(failure, repeatedWith) : failure
  }
}

/** The exit status for what a command threw. */
export function statusOf(failure: unknown): number {
  if (failure instanceof WriteFailure) return statusOf(failure.failure)
  if (failure instanceof CommandFailure) return failure.status
  if (failure instanceof UsageError) return exitStatus.usage
  // The SDK throws it for arguments that cannot be sent.
  if (failure instanceof TypeError && !CrmError.is(failure)) return exitStatus.usage
  if (!CrmError.is(failure)) return exitStatus.refused
  // What answers is not the API, so its 404 says nothing of a record.
  if (failure.code === 'unexpected_answer') return exitStatus.unavailable
  if (failure.status === 404 || failure.status === 410) return exitStatus.missing
  if (failure.status === 409 || failure.status === 428) return exitStatus.conflict
  if (failure.isRetryable || failure.status >= 500 || failure.status === 0) return exitStatus.unavailable
  return exitStatus.refused
}

/** Why a command failed, for people: in one line, and one more for each thing that the server found wrong. */
export function sentenceOf(failure: unknown): string {
  if (failure instanceof WriteFailure) return [sentenceOf(failure.failure), ...repetitionOf(failure)].join('\n  ')
  if (!CrmError.is(failure)) return inOneLine(failure instanceof Error ? failure.message : String(failure))
  const { code, message, details, requestId } = failure
  const facts = [code, ...(requestId === '' ? [] : [`request ${requestId}`])].join(', ')
  return [`${inOneLine(message)} (${inOneLine(facts)})`, ...issuesIn(details), ...adviceFor(failure)].join('\n  ')
}

/** After a refusal, a write was not executed. Otherwise nobody knows, unless the server answers the same request again. */
function repetitionOf({ failure, repeatedWith }: WriteFailure): string[] {
  const { idempotencyKey, isRetryable, status } = failure
  const isOpen = isRetryable || status < 400 || status >= 500
  if (!isOpen || idempotencyKey === null) return []
  const options = [...repeatedWith, `--idempotency-key ${idempotencyKey}`].join(' ')
  return [`it may have been executed: repeated with ${options}, it is executed once`]
}

function issuesIn({ issues }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(issues)) return []
  return issues.filter(isObject).map(issue => inOneLine(`${String(issue['path'] ?? '')}: ${String(issue['message'])}`))
}

function adviceFor({ code, details }: CrmError): string[] {
  const version = details['currentVersion']
  if (code === 'precondition_required') return ['the record exists: add --expected-version, or --overwrite']
  if (code === 'version_conflict' && typeof version === 'number') return [`its version is ${version} now`]
  if (code === 'invalid_token') return ['`crm login` stores another token']
  const scopes = details['missingScopes']
  return Array.isArray(scopes) ? [`the token needs ${inOneLine(scopes.join(', '))}`] : []
}
