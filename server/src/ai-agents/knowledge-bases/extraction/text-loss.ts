/** How much of a text says nothing to a reader, because the file does not tell which characters it shows. */
export class TextLoss {
  #all = 0
  #lost = 0

  /**
   * Counts the characters of a piece of text. NUL, replacement characters and those for private use are lost. A word with another
   * control character is lost as a whole: its font has numbers of glyphs in place of characters, so its letters are not those it shows.
   */
  add(text: string): void {
    for (const word of text.split(/\s+/u)) {
      this.#all += word.length
      const kept = /(?!\0)\p{Cc}/u.test(word) ? '' : word.replaceAll(/[\p{Co}\p{Cs}\uFFFD\0]/gu, '')
      this.#lost += word.length - kept.length
    }
  }

  /** Whether more than half of the characters are lost. */
  get isMost(): boolean {
    return this.#lost * 2 > this.#all
  }
}
