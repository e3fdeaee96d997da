import type { Bound } from '../../server/src/kernel/limits/index.ts'
import { productBounds } from '../../server/src/modules.ts'

const [opening, closing] = ['<!-- bounds: written by npm run golden -->', '<!-- end of bounds -->']

/** The page with the table of bounds as the code enforces them, in its place between two marks. */
export function withBounds(page: string): string {
  const [start, end] = [page.indexOf(opening), page.indexOf(closing)]
  if (start < 0 || end < start) throw new Error('the page has no place for the table of bounds')
  return `${page.slice(0, start + opening.length)}\n${boundsTable()}${page.slice(end)}`
}

function boundsTable(): string {
  const rows = Object.entries(productBounds).map(
    ([name, bound]) => `| ${bound.of} | ${amount(bound)} | ${bound.beyond} | \`${name}\` |`,
  )
  return ['| What is bounded | Most | Beyond it | Name |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function amount({ most, unit }: Bound): string {
  const number = (value: number) => value.toLocaleString('en-US')
  if (unit === 'milliseconds') return most < 1000 ? `${most} ms` : `${number(most / 1000)} s`
  if (unit !== 'bytes') return number(most)
  return most < 1024 * 1024 ? `${most / 1024} KiB` : `${most / 1024 / 1024} MiB`
}
