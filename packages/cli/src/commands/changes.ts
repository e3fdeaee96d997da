import type { Command } from 'commander'
import { CommandFailure, UsageError } from '../failure.ts'
import { type FollowedEvent, followFeed } from '../feed/follow-feed.ts'
import { type Wish, wishOf } from '../feed/kinds.rules.ts'
import { type FeedPosition, readPosition, writePosition } from '../feed/position-file.ts'
import { commandSeconds, runCommand } from '../feed/run-command.ts'
import { answerNames } from '../generated/answer-names.ts'
import type { Invocation } from '../invocation.ts'
import { integerIn } from '../resources/given.ts'

interface FollowOptions {
  readonly kinds?: readonly string[]
  readonly from?: string
  readonly cursorFile?: string
  readonly exec?: string
  readonly execTimeout?: number
  readonly skipMissing?: boolean
}

/** `crm changes follow`: prints each event as it is committed, or runs a command for it. */
export function addChangesCommand(program: Command, invocation: Invocation): void {
  program
    .command('changes')
    .description('follow the change feed')
    .command('follow')
    .description('print each event as soon as it is committed, until a signal ends it')
    .option('--kinds <kinds>', 'events such as contact.created or deal.*: all about records unless given', severalKinds)
    .option(
      '--from <cursor>',
      'begin after this cursor of the feed, or now: after that in --cursor-file, or now, unless given',
    )
    .option('--cursor-file <path>', 'remember in this file which events were handled')
    .option(
      '--exec <command>',
      'run this for each event, with the event as JSON on standard input, instead of printing it',
    )
    .option('--exec-timeout <seconds>', `end a command that takes longer; ${commandSeconds} unless given`, secondsIn)
    .option('--skip-missing', 'go on when events are gone, instead of ending with the status 6')
    .action(async (options: FollowOptions, command: Command) => {
      const { cursorFile: file, exec, execTimeout = commandSeconds } = options
      const wish = wishFrom(options.kinds)
      const start = await startOf(options, file)
      const crm = await invocation.crmOf(command)
      const output = invocation.outputOf(command, answerNames['ChangeEvent'])
      const signal = invocation.shell.interruption()
      const tell = (text: string) => invocation.tell(command, text)
      const handle = async ({ kind, event }: FollowedEvent) => {
        const told = { ...event, kind }
        if (exec === undefined) return output.page([told])
        try {
          await runCommand(exec, `${JSON.stringify(told)}\n`, execTimeout)
        } catch (error) {
          if (!(error instanceof CommandFailure)) throw error
          throw new CommandFailure(`${error.message} at the event ${event.seq}, which is the next one again`)
        }
      }
      const store = async (position: FeedPosition) => {
        if (file !== undefined) await writePosition(file, position)
      }
      const skipsMissing = options.skipMissing === true
      await followFeed(crm, { wish, start, signal, skipsMissing, tell }, handle, store)
    })
}

/** Collects kinds: several options, or one with commas. */
export function severalKinds(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

function secondsIn(text: string): number {
  const seconds = integerIn('--exec-timeout')(text)
  if (seconds < 1 || seconds > mostSeconds) throw new UsageError(`--exec-timeout takes 1 to ${mostSeconds} seconds`)
  return seconds
}

const mostSeconds = 86_400

/** Everything about records unless kinds are given. Throws UsageError for an unknown one. */
export function wishFrom(kinds: readonly string[] = ['*']): Wish {
  const wish = wishOf(kinds)
  if (typeof wish === 'string') throw new UsageError(wish)
  return wish
}

async function startOf({ from }: FollowOptions, file: string | undefined): Promise<FeedPosition | null> {
  if (from === 'now') return null
  if (from !== undefined) return { cursor: from, seq: 0 }
  return file === undefined ? null : readPosition(file)
}
