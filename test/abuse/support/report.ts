import type { Answered, Observation, Outcome } from './protocol.ts'

/** What was seen of a server before an attack and during it, and what the attackers were answered. */
export interface Measured {
  /** The most resident memory before it, in MB. */
  readonly megabytesBefore: number
  /** Null where nothing is compared with it. */
  readonly alone: Observation | null
  readonly during: Observation
  readonly outcome: Outcome
}

/** The figures of an attack, as lines of the table. */
export function figuresOf({ megabytesBefore, alone, during, outcome }: Measured): [figure: string, value: string][] {
  const { statuses, cutOff, longest, seconds } = outcome
  const answers = cutOff === 0 ? statuses : { ...statuses, cutOff }
  return [
    ['answers', JSON.stringify(answers)],
    ['longest answer', rounded(longest / 1024, 'KiB')],
    ['the attack lasted', rounded(seconds, 's')],
    ['memory before', rounded(megabytesBefore, 'MB')],
    ['memory at most', rounded(during.megabytes, 'MB')],
    ['processor time of the server', rounded(during.cpuSeconds, 's')],
    ['event loop stood still', rounded(during.standstill, 'ms')],
    ...during.answered.map((answered, index): [string, string] => [
      shortPath(answered.path),
      timesOf(answered, alone?.answered[index]),
    ]),
  ]
}

/** A figure with its unit; small ones with one decimal. */
export function rounded(value: number, unit = ''): string {
  return `${value.toFixed(Math.abs(value) < 10 ? 1 : 0)} ${unit}`.trim()
}

function timesOf({ p50, p99, worst, count, failures }: Answered, alone: Answered | undefined): string {
  const ms = (number: number) => number.toFixed(1)
  const failed = Object.keys(failures).length > 0 ? ` ${JSON.stringify(failures)}` : ''
  const before = alone === undefined ? '' : ` (alone p50 ${ms(alone.p50)} p99 ${ms(alone.p99)})`
  return `p50 ${ms(p50)} p99 ${ms(p99)} worst ${ms(worst)} ms of ${count}${before}${failed}`
}

function shortPath(path: string): string {
  return path
    .replace('/api/v1/crm', '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]+/u, '{id}')
    .slice(0, 40)
}
