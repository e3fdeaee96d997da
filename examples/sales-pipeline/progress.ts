import { stdout } from 'node:process'

/** One line that is rewritten on a terminal; elsewhere a line for every 500 items. */
export class Progress {
  readonly #label: string
  readonly #total: number
  #done = 0

  constructor(label: string, total: number) {
    this.#label = label
    this.#total = total
  }

  advance(count = 1) {
    const before = this.#done
    this.#done += count
    const isFinished = this.#done === this.#total
    const isRoundNumber = Math.floor(this.#done / 500) > Math.floor(before / 500)
    const line = `${this.#label} ${formatCount(this.#done)} of ${formatCount(this.#total)}`

    if (stdout.isTTY) stdout.write(`\r\u001b[K${line}${isFinished ? '\n' : ''}`)
    else if (isFinished || isRoundNumber) console.log(line)
  }
}

const secondsBetweenNotices = 15
let lastNotice = 0

/** Explains a noticeable pause once, not for each of the parallel requests. */
export function reportWait(reason: string, milliseconds: number) {
  const isWorthSaying = milliseconds >= 2000 && Date.now() - lastNotice > secondsBetweenNotices * 1000
  if (!isWorthSaying) return
  lastNotice = Date.now()
  if (stdout.isTTY) stdout.write('\r\u001b[K')
  console.log(`Waiting ${Math.ceil(milliseconds / 1000)} s. ${reason}`)
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
