import type { Readable, Writable } from 'node:stream'

/** What the program has of the process that it runs in. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The home folder of the user. */
  readonly home: string
  readonly input: Readable
  readonly isInputTerminal: boolean
  readonly isOutputTerminal: boolean
  readonly isErrorTerminal: boolean
  /** The width of the terminal. */
  readonly columns: number
  readonly errorStream: Writable
  /** Writes to standard output, which has data alone. Resolves when it has been taken: to false if its reader is gone. */
  print(text: string): Promise<boolean>
  /** From now on, the signals that end a program abort this one instead: the command ends what it does. A second one ends it. */
  interruption(): AbortSignal
  /** Writes to standard error. */
  say(text: string): void
}
