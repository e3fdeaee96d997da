import { isFilled, type Suggestions, type TargetedColumn } from './suggestions.ts'

/**
 * Suggests the columns of one address. Exports have several, such as a mailing and a billing address, whose parts must not be mixed. One with
 * at least three parts that have values is preferred, then the one whose kind is the best. Parts that it lacks are taken from an address of
 * no kind.
 */
export function suggestAddress(columns: readonly TargetedColumn[], found: Suggestions): void {
  const parts = columns.filter(({ says }) => says.target.startsWith('address.'))
  const sets = new Map<string, TargetedColumn[]>()
  for (const part of parts) sets.set(part.says.set, [...(sets.get(part.says.set) ?? []), part])
  const [best = []] = [...sets.values()].toSorted((one, other) => meritOf(other) - meritOf(one))
  for (const { column, says } of [...best, ...(sets.get(plainSet) ?? [])]) found.take(column, says.target)
  found.close(...parts.map(({ says }) => says.target))
}

/** The set of an address without a kind and a number. */
const plainSet = '1'

const partsOfWholeAddress = 3

/** Parts with values count most, then all parts; more than a few make no difference. The order of the kinds and numbers decides the rest. */
function meritOf(set: readonly TargetedColumn[]): number {
  const count = (columns: readonly TargetedColumn[]) =>
    Math.min(partsOfWholeAddress, new Set(columns.map(({ says }) => says.target)).size)
  const [, kind = 0, , number = 1] = set[0]?.says.rank ?? []
  return 1e6 * count(set.filter(isFilled)) + 1e4 * count(set) - 100 * kind - Math.min(number, 99)
}
