export type { TimeBudget } from './ask-cancellably.ts'
export { adviceOnClock, clockDifference } from './clock-difference.ts'
export { Database, type DatabaseAddress, type DatabaseLocation } from './database.ts'
export type { WhenOther } from './database-identity.ts'
export { DiskSpace } from './disk-space.ts'
export { distribute, undistributed } from './distribute.ts'
export { type Distribution, isDistributed } from './distribution.ts'
export { raiseEpoch, raiseEpochOf, selectEpoch } from './epoch.ts'
export {
  CommitUncertain,
  DecideAgain,
  failureOf,
  isDiskFull,
  isLockTimeout,
  OrganizationReadOnly,
  SessionNotKept,
} from './failure.ts'
export type { LongTransaction, RowFlow } from './long-transaction.ts'
export { knownMigrations, migrate, pendingMigrations } from './migrations.ts'
export { queueLibrary } from './queue-library.ts'
export { queueRevision } from './queue-schema.ts'
export type { Reader } from './reader.ts'
export type { Row } from './row.ts'
export { expectSuitableServer } from './server-requirements.ts'
export { nodeSettings, waitMilliseconds } from './session.ts'
export {
  type Bind,
  binding,
  claimedStatement,
  columnName,
  plannedAnew,
  type Statement,
  statement,
} from './statement.ts'
export { keepStatistics } from './statistics.ts'
export {
  copyRowsIn,
  copyRowsOut,
  findAnyRow,
  numberOn,
  type StoredTable,
  storedTables,
} from './stored-tables.ts'
export { identifier, textsOf } from './tables.ts'
export {
  copyTenantRowsIn,
  copyTenantRowsOut,
  ownerColumn,
  type TenantTable,
  tablesOfEveryNode,
  tenantTables,
} from './tenant-tables.ts'
export type { Transaction } from './transaction.ts'
export { shortWait, whenFree } from './when-free.ts'
