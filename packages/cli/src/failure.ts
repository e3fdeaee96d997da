import { CrmError } from 'crm-sdk'
import { isObject } from './json.ts'
import { inOneLine } from './output/printable.ts'

/** The exit statuses of the program, as documented in `docs/cli.md`. */
export const exitStatus = { done: 0, refused: 1, usage: 2, missing: 3, conflict: 4, unavailable: 5, missed: 6 } as const

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

/** The exit status for what a command threw. */
export function statusOf(failure: unknown): number {
  if (failure instanceof CommandFailure) return failure.status
  if (failure instanceof UsageError) return exitStatus.usage
  // The SDK throws it for arguments that cannot be sent.
  if (failure instanceof TypeError && !CrmError.is(failure)) return exitStatus.usage
  if (!CrmError.is(failure)) return exitStatus.refused
  if (failure.status === 404 || failure.status === 410) return exitStatus.missing
  if (failure.status === 409 || failure.status === 428) return exitStatus.conflict
  if (failure.isRetryable || failure.status >= 500 || failure.status === 0) return exitStatus.unavailable
  return exitStatus.refused
}

/** Why a command failed, for people: in one line, and one more for each thing that the server found wrong. */
export function sentenceOf(failure: unknown): string {
  if (!CrmError.is(failure)) return inOneLine(failure instanceof Error ? failure.message : String(failure))
  const { code, message, details, requestId, idempotencyKey, status } = failure
  const facts = [code, ...(requestId === '' ? [] : [`request ${requestId}`])].join(', ')
  return [
    `${inOneLine(message)} (${inOneLine(facts)})`,
    ...issuesIn(details),
    ...adviceFor(failure),
    // Without an answer nobody knows whether a write was executed.
    ...(status === 0 && idempotencyKey !== null
      ? [`to find out whether it was executed, repeat the command with --idempotency-key ${idempotencyKey}`]
      : []),
  ].join('\n  ')
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
