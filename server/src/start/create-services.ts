import { join } from 'node:path'
import { FeedTails, FeedWaits } from '../kernel/feed/index.ts'
import { DiskReserve } from '../kernel/files/index.ts'
import {
  Admission,
  Authentication,
  type Clock,
  Configurations,
  type Counter,
  Counters,
  GroupQueues,
  type Hold,
  type RefusedToken,
  retentionDefaults,
  type Secret,
  type Services,
  Spool,
  systemClock,
} from '../kernel/index.ts'
import { Mail } from '../kernel/mail/index.ts'
import { type Database, DiskSpace } from '../kernel/sql/index.ts'
import { bulkActions, erasures, jobTypes, nestedResources, resources } from '../modules.ts'
import { MemberRights } from '../people/member-rights.ts'
import type { Config } from './config.ts'
import { createFiles } from './create-files.ts'

interface Parts {
  readonly config: Pick<Config, 'dataDirectory' | 'redisUrl'> &
    Partial<Pick<Config, 'outboundAllowedNetworks' | 'publicBaseUrl' | 'retention' | 's3' | 'smtp'>>
  readonly database: Database
  /** The folder of the embedded database, if there is one. */
  readonly databaseFolder?: string | undefined
  readonly secret: Secret
  readonly clock?: Clock
  readonly onFailure: Services['onFailure']
  readonly onRefusedToken?: (refused: RefusedToken) => void
  /** Counts requests in the parent process, if this is one of several processes of a server. */
  readonly parentCounter?: Counter | undefined
  /** Awaited by each group of writes: with it, tests make groups gather. */
  readonly holdGroups?: Hold | null
}

/** Makes the services that all operations of a process share. */
export function createServices({
  config,
  database,
  databaseFolder,
  secret,
  clock = systemClock,
  onFailure,
  onRefusedToken,
  parentCounter,
  holdGroups = null,
}: Parts): Services {
  const configurations = new Configurations(database)
  const admission = new Admission()
  const feedTails = new FeedTails(database, error => onFailure(error, { operation: 'changes.list' }))
  return {
    clock,
    database,
    diskSpace: new DiskSpace(database),
    diskReserve: new DiskReserve([config.dataDirectory, ...(databaseFolder === undefined ? [] : [databaseFolder])]),
    secret,
    authentication: new Authentication(database, clock, {
      onRefused: onRefusedToken,
      whenAdministered: () => configurations.forget(),
    }),
    members: new MemberRights(database),
    counters: new Counters(clock, config.redisUrl, parentCounter),
    configurations,
    admission,
    feedTails,
    feedWaits: new FeedWaits(feedTails, admission),
    groupQueues: new GroupQueues(holdGroups),
    retention: config.retention ?? retentionDefaults,
    publicBaseUrl: config.publicBaseUrl,
    outbound: { allowedNetworks: config.outboundAllowedNetworks ?? [] },
    mail: config.smtp === undefined ? null : new Mail(config.smtp),
    files: createFiles(config, secret),
    spool: new Spool(join(config.dataDirectory, 'spool')),
    resources,
    nestedResources,
    bulkActions,
    erasures,
    jobTypes,
    onFailure,
  }
}
