import { AdministrationError } from './administration-error.ts'

const units = ['KiB', 'MiB', 'GiB', 'TiB']
const bytesOf = (unit: string) => 1024 ** (units.indexOf(unit) + 1)

/** Parses a text such as `40GiB` to bytes: a whole number and KiB, MiB, GiB or TiB, or 0. */
export function parseSize(text: string): number {
  const [, amount, unit] = /^(\d+)\s?([KMGT]iB)$/u.exec(text) ?? []
  const bytes = unit === undefined ? Number.NaN : Number(amount) * bytesOf(unit)
  if (text === '0') return 0
  if (!Number.isSafeInteger(bytes))
    throw new AdministrationError(`"${text}" is no size: write a number and ${units.join(', ')}, such as 40GiB`)
  return bytes
}

/** Formats bytes in the largest unit that gives a whole number: `40GiB`. */
export function sizeText(bytes: number): string {
  const unit = units.findLast(each => bytes > 0 && bytes % bytesOf(each) === 0)
  return unit === undefined ? `${bytes} bytes` : `${bytes / bytesOf(unit)}${unit}`
}
