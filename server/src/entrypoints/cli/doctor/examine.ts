import { Counters, systemClock } from '../../../kernel/index.ts'
import { productVersion } from '../../../kernel/product/index.ts'
import type { Config } from '../../../start/config.ts'
import type { Installation } from '../../../start/installation.ts'
import type { CommandLine } from '../command-line.ts'
import { type Check, check } from './check.ts'
import { examineDatabase } from './database.ts'
import { examineBucket, examineFiles } from './files.ts'
import { examineDataDirectory, examineNode, examineRoom, examineSecret } from './machine.ts'
import { examineMail } from './mail.ts'
import { examineMatch, examineStoredSecrets } from './secrets.ts'

export interface DoctorOptions {
  /** Whether to check every file as well. */
  readonly files?: boolean
}

/** Checks everything that a server with this configuration depends on, in the order in which the server needs it. */
export async function examine(commandLine: CommandLine, options: DoctorOptions): Promise<Check[]> {
  const configuration = await check('configuration', async () => {
    const { warnings } = commandLine.config()
    return ['valid', ...warnings].join('; ')
  })
  const version = { name: 'version', ok: true, message: productVersion }
  const node = await check('node', async () => examineNode(process.versions.node))
  if (!configuration.ok) return [version, configuration, node]
  const config = commandLine.config()
  const directory = await check('data directory', () => examineDataDirectory(config.dataDirectory))
  const room = await check('free space', () => examineRoom(config.dataDirectory))
  const examineInstallation = async (installation: Installation) => {
    const checks = await examineDatabase(installation.database, config.retention)
    // If the database cannot be reached, nothing else can be checked.
    if (!checks.some(({ name }) => name === 'migrations')) return checks
    const files = options.files ? await examineFiles(installation) : []
    const secret = check('secret', async () => `${await examineSecret(config)}${await examineMatch(installation)}`)
    return [...checks, await examineStoredSecrets(installation), await secret, ...files]
  }
  const database = await commandLine
    // If the database is another one than before, report it: the operator decides about its epoch.
    .open(config, examineInstallation, { whenOther: 'leave' })
    .catch(error => check('postgresql', () => Promise.reject(error)).then(failed => [failed]))
  const examined = database.some(({ name }) => name === 'secret')
  return [
    version,
    configuration,
    node,
    directory,
    room,
    ...database,
    ...(examined ? [] : [await check('secret', () => examineSecret(config))]),
    ...(await examineRedis(config)),
    ...(await examineBucket(config)),
    ...(await examineMail(config)),
  ]
}

async function examineRedis({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === undefined) return []
  const reached = await check('redis', async () => {
    const counters = new Counters(systemClock, redisUrl)
    try {
      await counters.start()
      if (!(await counters.isReady())) throw new Error('cannot be reached: every request would be refused with 503')
      return 'answers'
    } finally {
      await counters.close()
    }
  })
  return [reached]
}
