/** How many characters of a word are compared: words of a client can be long. */
const compared = 64
const farthest = 3

/** The known word that a client who wrote `word` probably meant; null if none is similar. Case, `_` and `-` are ignored. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (word.length > compared) return null
  const sought = plain(word)
  const reach = Math.min(farthest, Math.floor(sought.length / 3))
  let [found, least]: [string | null, number] = [null, reach + 1]
  for (const each of known) {
    const distance = editDistance(sought, plain(each), least - 1)
    if (distance < least) [found, least] = [each, distance]
  }
  return found
}

/** The end of a sentence about an unknown word, with the suggestion. */
export function didYouMean(nearest: string | null): string {
  return nearest === null ? '.' : `: did you mean ${nearest}?`
}

function plain(word: string): string {
  return word.replaceAll(/[_-]/gu, '').toLowerCase()
}

/**
 * The edit distance: the number of insertions, deletions, replacements and swaps of adjacent characters that turn one text into the other
 * (optimal string alignment). The result is `most + 1` for more than `most`.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    if (Math.min(...next) > most) return most + 1
    ;[before, last] = [last, next]
  }
  return Math.min(last[other.length] ?? 0, most + 1)
}
