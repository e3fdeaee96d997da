import { join } from 'node:path'
import type { Config } from './config.ts'
import {
  Admission,
  Authentication,
  type Clock,
  Configurations,
  Counters,
  type Secret,
  type Services,
  Spool,
  systemClock,
} from './kernel/index.ts'
import { type Database, DiskSpace } from './kernel/sql/index.ts'
import { nestedResources, resources } from './modules.ts'

interface Parts {
  readonly config: Pick<Config, 'dataDirectory' | 'redisUrl'>
  readonly database: Database
  readonly secret: Secret
  readonly clock?: Clock
  readonly onFailure: Services['onFailure']
}

/** Makes the services that all operations of a process share. */
export function createServices({ config, database, secret, clock = systemClock, onFailure }: Parts): Services {
  return {
    clock,
    database,
    diskSpace: new DiskSpace(database),
    secret,
    authentication: new Authentication(database, clock),
    counters: new Counters(clock, config.redisUrl),
    configurations: new Configurations(database),
    admission: new Admission(),
    spool: new Spool(join(config.dataDirectory, 'spool')),
    resources,
    nestedResources,
    onFailure,
  }
}
