import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

const turns = 16

/**
 * An order key between two others (null: open end), so that a record takes its place without touching its neighbours.
 * `random` spreads keys that are asked for at the same moment between the same neighbours. Throws when the lower one is
 * not below the upper one: nothing lies between equal keys.
 */
export function rankBetween(lower: string | null, upper: string | null, random: () => number): string {
  let [low, high] = withinEnds(lower, upper)
  let rank = generateKeyBetween(low, high)
  for (let turn = 0; turn < turns; turn += 1) {
    if (random() < 0.5) low = rank
    else high = rank
    rank = generateKeyBetween(low, high)
  }
  return rank
}

/**
 * Ascending order keys between two others, as short as they can be. For what is put in order under a lock: asked for at the
 * same moment they would be the same.
 */
export function ranksBetween(lower: string | null, upper: string | null, count: number): string[] {
  return generateNKeysBetween(lower, upper, count)
}

// Towards an open end keys grow by counting, which keeps them short: chance works between two counts.
function withinEnds(lower: string | null, upper: string | null): [string, string] {
  if (lower !== null && upper !== null) return [lower, upper]
  const near = generateKeyBetween(lower, upper)
  if (upper !== null) return [generateKeyBetween(null, near), near]
  return [near, generateKeyBetween(near, null)]
}
