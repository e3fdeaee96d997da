/** The numbers behind a position that are done, although earlier ones are not. They are kept as bits, the lowest first. */
export class CompletedNumbers {
  readonly #numbers = new Set<number>()

  /** `bits` is what `bitsAfter` has returned for the same position. */
  constructor(position: number, bits: Uint8Array) {
    for (const [index, byte] of bits.entries())
      for (let bit = 0; bit < 8; bit += 1) if ((byte >> bit) & 1) this.#numbers.add(position + 1 + index * 8 + bit)
  }

  add(number: number): void {
    this.#numbers.add(number)
  }

  has(number: number): boolean {
    return this.#numbers.has(number)
  }

  clear(): void {
    this.#numbers.clear()
  }

  /** The bits of the numbers behind this position. It never goes back, so earlier ones are forgotten. */
  bitsAfter(position: number): Buffer {
    let highest = position
    for (const number of this.#numbers) {
      if (number <= position) this.#numbers.delete(number)
      else highest = Math.max(highest, number)
    }
    const bits = Buffer.alloc(Math.ceil((highest - position) / 8))
    for (const number of this.#numbers) {
      const place = number - position - 1
      bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
    }
    return bits
  }
}
