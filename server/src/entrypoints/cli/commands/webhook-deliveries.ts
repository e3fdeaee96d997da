import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import { AdministrationError, webhook as kind, settingNamed } from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import type { LoggedDelivery } from '../../../webhooks/delivery-log.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { tableOf } from '../table.ts'
import { numberOf } from '../words.ts'

interface LogOptions extends OutputOptions {
  readonly failed?: boolean
  readonly follow?: boolean
  readonly limit?: string
}

/** How many calls are listed without `--limit`. */
const usualCalls = 100
const mostCalls = 1000

/** Adds `log`. */
export function addWebhookLog(webhook: Command, commandLine: CommandLine): void {
  webhook
    .command('log')
    .description('list the latest calls of the receiver, the newest first')
    .argument('<id>', 'which one, or the name that it alone has')
    .option('--failed', 'those that failed alone')
    .option('--limit <number>', `most calls, ${mostCalls} at most (${usualCalls})`)
    .addOption(
      new Option(
        '--follow',
        'print those that come from now on, until interrupted; with --json one document a line',
      ).conflicts(['limit']),
    )
    .option(...jsonOption)
    .action((text: string, options: LogOptions) => {
      if (options.follow) return followLog(text, options, commandLine)
      return commandLine.run(options, async ({ database }) => {
        const { latestDeliveries } = await import('../../../webhooks/delivery-log.ts')
        const most = numberOf(options.limit) ?? usualCalls
        if (!(most >= 1 && most <= mostCalls))
          throw new AdministrationError(`--limit takes a whole number from 1 to ${mostCalls}`)
        const address = await settingNamed(database, kind, text)
        const calls = await latestDeliveries(database, { ...address, isFailed: options.failed === true, most })
        return {
          json: { calls },
          text: calls.length === 0 ? 'There are no such calls.' : tableOf(calls.map(line), columns),
        }
      })
    })
}

const everyMilliseconds = 1000

/** Prints the calls that are stored from now on, the oldest first. It asks once a second, and reads the latest 1,000 calls. */
async function followLog(text: string, options: LogOptions, commandLine: CommandLine): Promise<void> {
  const { out, err } = commandLine.streams
  await commandLine.runUntilSignal(options, async ({ database }) => {
    const { latestDeliveries } = await import('../../../webhooks/delivery-log.ts')
    const address = await settingNamed(database, kind, text)
    const read = () => latestDeliveries(database, { ...address, isFailed: options.failed === true, most: mostCalls })
    for (let before = new Set((await read()).map(keyOf)); ; ) {
      await sleep(everyMilliseconds)
      const calls = await read()
      const added = calls.filter(call => !before.has(keyOf(call))).toReversed()
      if (added.length === mostCalls) err(`There were more than ${mostCalls} calls: the latest follow.\n`)
      for (const call of added) out(`${options.json ? JSON.stringify(call) : textOf(call)}\n`)
      before = new Set(calls.map(keyOf))
    }
  })
}

/** Tells calls of one webhook apart. */
function keyOf({ at, seq, kind: sent, outcome, attempt, replayId }: LoggedDelivery): string {
  return [at, seq, sent, outcome, attempt, replayId].join(' ')
}

function textOf({
  at,
  seq,
  kind: sent,
  recordId,
  outcome,
  status,
  failure,
  milliseconds,
  replayId,
}: LoggedDelivery): string {
  const by = replayId === null ? '' : `  replay ${replayId}`
  return `${at}  ${seq} ${sent ?? '-'} ${recordId ?? '-'}  ${outcome} ${status ?? failure ?? ''}  ${milliseconds} ms${by}`
}

const columns = ['at', 'seq', 'kind', 'recordId', 'outcome', 'attempt', 'status', 'milliseconds', 'replayId', 'answer']

function line({ status, failure, answer, ...call }: LoggedDelivery): JsonObject {
  return { ...call, status: status ?? failure, answer: answer?.replaceAll(/\s+/gu, ' ') ?? null }
}

/** What `show` tells of a webhook besides its settings: how its deliveries stand. */
export async function stateOfDeliveries({ database, config }: Installation, { organizationId, id }: JsonObject) {
  const { readDeliveryState, wordsOfReason } = await import('../../../webhooks/delivery-state.ts')
  const { readReplays } = await import('../../../webhooks/replay-state.ts')
  const deliveries = await readDeliveryState(database, String(organizationId), String(id), config.retention.changes)
  const replays = await readReplays(database, String(organizationId), String(id))
  if (deliveries === null) return { json: { deliveries, replays }, lines: {} }
  const { state, reason, ...told } = deliveries
  const lines = { state, reason: reason === null ? null : wordsOfReason(reason), ...told, replays }
  return { json: { deliveries, replays }, lines }
}
