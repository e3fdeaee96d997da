import type { Measured } from './report.ts'

/** What took longer than it may, in words: none when all was well. */
export type Slowness = (measured: Measured) => string[]

const healthMilliseconds = 250
const standstillMilliseconds = 100
const timesAlone = 4
/** Under them, figures say more of the machine than of the server: it also runs the clients and the database. */
const least = { p50: 2.5, p99: 15 }

/** `/livez` and `/readyz` answer within 250 ms. */
export function unhealthy({ during }: Measured): string[] {
  const asked = during.answered.filter(({ path }) => path === '/livez' || path === '/readyz')
  return asked.flatMap(({ path, worst }) => (worst < healthMilliseconds ? [] : [`${path}: ${rounded(worst)}`]))
}

/** The bound of fairness: another organization waits for at most four times as long as when it is alone. */
export function unfair(measured: Measured): string[] {
  return longerThanAlone(measured, timesAlone, ['p50', 'p99'])
}

/** What was so many times as slow as alone, or slower, by these figures. */
export function longerThanAlone(
  { alone, during }: Measured,
  times: number,
  figures: readonly ('p50' | 'p99')[],
): string[] {
  if (alone === null) throw new Error('nobody has watched how the quiet organization is served alone')
  return during.answered.flatMap(({ path, ...waited }, index) =>
    figures.flatMap(figure => {
      if (!path.startsWith('/api/')) return []
      const before = Math.max(alone.answered[index]?.[figure] ?? 0, least[figure])
      const isFair = waited[figure] < times * before
      return isFair ? [] : [`${path}: ${figure} ${rounded(waited[figure])} instead of ${rounded(before)}`]
    }),
  )
}

/** The event loop is held for at most 100 ms. */
export function standingStill({ during: { standstill } }: Measured): string[] {
  return standstill < standstillMilliseconds ? [] : [`the event loop: ${rounded(standstill)}`]
}

function rounded(milliseconds: number): string {
  return `${milliseconds.toFixed(0)} ms`
}
