/**
 * How many letters are to be added, left out, replaced or exchanged with their neighbour to make one word of the other; `most + 1`
 * when it takes more than `most`.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const kept = at(last, column - 1) + (isSame ? 0 : 1)
      let fewest = Math.min(kept, at(last, column) + 1, at(next, column - 1) + 1)
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        fewest = Math.min(fewest, at(before, column - 2) + 1)
      next.push(fewest)
    }
    before = last
    last = next
  }
  return Math.min(at(last, other.length), most + 1)
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY
}
