import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

const turns = 16

/**
 * A rank between two others (null: open end), so that a record gets its position without a change of its neighbours. With `random`, two
 * ranks made at the same time between the same neighbours differ. Throws if the lower rank is not below the upper one, because there is no
 * rank between equal ranks.
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
 * Ascending ranks between two others, as short as possible. Use them only under a lock: without one, two actors could get the same ranks.
 */
export function ranksBetween(lower: string | null, upper: string | null, count: number): string[] {
  return generateNKeysBetween(lower, upper, count)
}

// At an open end ranks are counted up or down, which keeps them short. Randomness then chooses between two counts.
function withinEnds(lower: string | null, upper: string | null): [string, string] {
  if (lower !== null && upper !== null) return [lower, upper]
  const near = generateKeyBetween(lower, upper)
  if (upper !== null) return [generateKeyBetween(null, near), near]
  return [near, generateKeyBetween(near, null)]
}
