import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What was measured, for a person who reads it: one line for each figure, of all attacks of a run. */
export class Figures {
  readonly #file: string

  constructor(folder: string) {
    this.#file = join(folder, 'figures')
  }

  async add(attack: string, figure: string, value: string): Promise<void> {
    await appendFile(this.#file, `${[attack, figure, value].join('\t')}\n`)
  }

  async table(): Promise<string> {
    const text = await readFile(this.#file, 'utf8').catch(() => '')
    const rows = [
      ['attack', 'figure', 'value'],
      ...text
        .split('\n')
        .slice(0, -1)
        .map(line => line.split('\t')),
    ]
    const width = (column: number) => Math.max(...rows.map(row => row[column]?.length ?? 0))
    return rows
      .map(row =>
        row
          .map((cell, column) => cell.padEnd(width(column)))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')
  }
}
