import type { Config } from '../../start/config.ts'
import type { Role } from '../../start/serve.ts'

export const roles = ['all', 'api', 'worker'] as const satisfies readonly Role[]

/** What a server does. */
export interface ServeOptions {
  readonly role: Role
  /** How many processes answer requests. */
  readonly processes: number
  /** Whether this is one process of a server that has several. */
  readonly isPart: boolean
}

/** What commands need from the other entrypoints, which this one cannot import. */
export interface Entrypoints {
  /** Runs a server until a signal; resolves to the exit status. */
  serve(config: Config, options: ServeOptions): Promise<number>
  /** Asks the person at the terminal for confirmation; false if there is no terminal. */
  confirm(question: string): Promise<boolean>
}
