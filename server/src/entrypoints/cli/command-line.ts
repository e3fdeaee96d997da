import type { Services } from '../../kernel/index.ts'
import type { WhenOther } from '../../kernel/sql/index.ts'
import type { NamingOptions } from '../../settings/index.ts'
import { type Config, readConfig } from '../../start/config.ts'
import type { Installation } from '../../start/installation.ts'
import type { Entrypoints } from './entrypoints.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Streams {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Resolves when standard output has taken the bytes; absent if it takes only text. */
  readonly outBytes?: (bytes: Uint8Array) => Promise<void>
  /** The width of the terminal that standard error goes to; absent if it is not a terminal. */
  readonly columns?: number
}

/** The output of a command: a document for programs, and text for people. */
export interface Printed {
  readonly json: unknown
  readonly text: string
}

export interface OutputOptions extends NamingOptions {
  readonly json?: boolean
}

export const jsonOption = ['--json', 'print one JSON document'] as const

/** How a command opens the installation. */
export interface Opening {
  readonly whenOther?: WhenOther
  /** Whether to create an embedded database if there is none. */
  readonly create?: boolean
  /** Allows a secret that is not the one of the database. */
  readonly anySecret?: boolean
}

/** What all commands of one run share. */
export class CommandLine {
  readonly entrypoints: Entrypoints
  /** Exit status of a command that ran to its end. */
  status = 0
  readonly #environment: Environment
  readonly streams: Streams

  constructor(environment: Environment, entrypoints: Entrypoints, streams: Streams) {
    this.#environment = environment
    this.entrypoints = entrypoints
    this.streams = streams
  }

  config(): Config {
    return readConfig(this.#environment)
  }

  /**
   * Applies missing migrations, checks the secret, runs a command on the database and prints its output. When it calls `use`,
   * names of organizations, applications and pipelines in the options have been replaced by ids.
   */
  async run(
    options: OutputOptions,
    use: (installation: Installation) => Promise<Printed>,
    opening: Opening = {},
  ): Promise<void> {
    const migrateAndUse = async (installation: Installation) => {
      const { migrate } = await import('../../kernel/sql/index.ts')
      const { expectSecret } = await import('../../kernel/index.ts')
      await migrate(installation.database)
      if (!opening.anySecret) await expectSecret(installation.database, installation.secret)
      const { organization, application, pipeline } = options
      if (organization !== undefined || application !== undefined || pipeline !== undefined) {
        const { withIds } = await import('../../settings/index.ts')
        Object.assign(options, await withIds(installation.database, options))
      }
      return use(installation)
    }
    this.print(options, await this.open(this.config(), migrateAndUse, opening))
  }

  /** Like `run`, for a command that goes on until a signal ends it: then its status is 0. */
  async runUntilSignal(options: OutputOptions, use: (installation: Installation) => Promise<never>): Promise<void> {
    await this.run(options, use).catch((error: unknown) => {
      if (!(error instanceof Interrupted)) throw error
    })
  }

  /** Opens the installation without changing it, and always closes it. */
  async open<Result>(
    config: Config,
    use: (installation: Installation) => Promise<Result>,
    { whenOther = 'raise', create = false }: Opening = {},
  ): Promise<Result> {
    // Loaded here, because some commands only print and do not need it.
    const { openInstallation } = await import('../../start/installation.ts')
    const interruption = new Interruption()
    // Connections that end while everything is being closed are not logged.
    let closing = false
    const log = (line: string) => {
      if (!closing) this.streams.err(`${line}\n`)
    }
    for (const warning of config.warnings) log(`warning: ${warning}`)
    try {
      const installation = await openInstallation(config, { as: 'command', log, whenOther, create })
      try {
        return await Promise.race([use(installation), interruption.signal])
      } finally {
        closing = true
        await installation.close()
      }
    } finally {
      interruption.end()
    }
  }

  /** The services that operations and jobs use, for commands that do the same work. */
  async services({ config, database, secret }: Installation): Promise<Services> {
    const { createServices } = await import('../../start/create-services.ts')
    return createServices({ config, database, secret, onFailure: () => {} })
  }

  print({ json }: OutputOptions, printed: Printed): void {
    this.streams.out(`${json ? JSON.stringify(printed.json) : printed.text}\n`)
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** A signal has ended the command. */
class Interrupted extends Error {}

/**
 * Turns the first signal into a rejection, so that the command stops what it has started before the process ends. The second signal ends
 * the process at once.
 */
class Interruption {
  readonly signal: Promise<never>
  #interrupt: () => void = () => {}
  #seen = false

  constructor() {
    this.signal = new Promise((_, reject) => {
      this.#interrupt = () => {
        if (this.#seen) process.exit(1)
        this.#seen = true
        reject(new Interrupted('interrupted'))
      }
    })
    // The signal may arrive before anything awaits it.
    this.signal.catch(() => {})
    for (const name of signals) process.on(name, this.#interrupt)
  }

  end(): void {
    for (const name of signals) process.off(name, this.#interrupt)
  }
}
