import { type Command, Option } from 'commander'
import {
  AdministrationError,
  cancelReplay,
  webhook as kind,
  replayWebhook,
  settingNamed,
} from '../../../settings/index.ts'
import type { AskedReplay, ReplayBound } from '../../../webhooks/replay-range.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { numberOf, timeSince } from '../words.ts'

interface ReplayOptions extends OutputOptions {
  readonly event?: string
  readonly from?: string
  readonly to?: string
  readonly failedSince?: string
  readonly cancel?: string
}

/** Adds `replay`. */
export function addWebhookReplay(webhook: Command, commandLine: CommandLine): void {
  webhook
    .command('replay')
    .description('send events again, with the same ids, while new events go on')
    .argument('<id>', 'which one, or the name that it alone has')
    .addOption(new Option('--event <number>', 'this event of the feed').conflicts(['from', 'to', 'failedSince']))
    .addOption(
      new Option(
        '--from <number>',
        'the events from this one on, or from a time on: 2026-03-31, or 7d for a week ago',
      ).conflicts(['failedSince']),
    )
    .addOption(new Option('--to <number>', 'the last one, or a time (all that were sent)').conflicts(['failedSince']))
    .option('--failed-since <time>', 'those that have failed since this time and were not delivered later')
    .addOption(
      new Option('--cancel <replay>', 'end this replay instead, which has not ended').conflicts([
        'event',
        'from',
        'to',
        'failedSince',
      ]),
    )
    .option(...jsonOption)
    .action((text: string, options: ReplayOptions) =>
      commandLine.run(options, async installation => {
        const { eventsToReplay } = await import('../../../webhooks/replay-range.ts')
        const { readDeliveryState } = await import('../../../webhooks/delivery-state.ts')
        const { database } = installation
        if (options.cancel !== undefined) {
          const { id } = await cancelReplay(installation, await settingNamed(database, kind, text), options.cancel)
          return { json: { id }, text: `Canceled replay ${id}.` }
        }
        const asked = askedFor(options, Date.now())
        const address = await settingNamed(database, kind, text)
        const events = await eventsToReplay(database, address, asked)
        if ('why' in events) throw new AdministrationError(events.why)
        const { id } = await replayWebhook(installation, address, events)
        const { fromSeq: from, toSeq: to, only } = events
        const count = only?.length ?? to - from + 1
        const { changes } = installation.config.retention
        const { state = 'active' } =
          (await readDeliveryState(database, address.organizationId, address.id, changes)) ?? {}
        const which = only === null ? 'what the webhook asks for among' : ''
        const told = `Replay ${id} sends ${which} ${plural(count)} of the feed, ${from} to ${to}.`.replace('  ', ' ')
        const waits = state === 'active' ? '' : ` It waits, because the webhook is ${state}.`
        return { json: { id, from, to, events: count, state }, text: `${told}${waits}` }
      }),
    )
}

function plural(count: number): string {
  return `${count} event${count === 1 ? '' : 's'}`
}

function askedFor({ event, from, to, failedSince }: ReplayOptions, now: number): AskedReplay {
  if (event !== undefined) {
    const seq = numberOf(event) ?? Number.NaN
    if (Number.isNaN(seq)) throw new AdministrationError('--event takes the number of an event of the feed')
    return { from: { seq }, to: { seq } }
  }
  if (failedSince !== undefined) return { failedSince: timeSince(failedSince, now) }
  if (from === undefined) throw new AdministrationError('which events: --event, --from or --failed-since')
  return { from: boundIn(from, now), to: to === undefined ? undefined : boundIn(to, now) }
}

/** A number of the feed, or a time. */
function boundIn(text: string, now: number): ReplayBound {
  const seq = numberOf(text) ?? Number.NaN
  return Number.isNaN(seq) ? { time: timeSince(text, now) } : { seq }
}
