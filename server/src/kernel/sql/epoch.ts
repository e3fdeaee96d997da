import { statement } from './statement.ts'

/**
 * SQL of the epoch after that of the row `i` of `installation`. It contains the time, so that two copies restored from one backup get
 * different epochs. It is the time of the statement, because all nodes of a cluster must write the same epoch.
 */
export const nextEpoch = 'greatest(i.epoch + 1, (extract(epoch from statement_timestamp()) * 1000)::bigint)'

/** Invalidates all positions in change feeds: their consumers must read everything again. */
export const raiseEpoch = statement(
  'raise_epoch',
  `update installation i set epoch = ${nextEpoch} where i.singleton returning i.epoch`,
)

/**
 * $1 organization: the same for its feed only, whose epoch is the sum of the installation's and its own. The time distinguishes it from
 * epochs that the organization had before it was restored from an older file.
 */
export const raiseEpochOf = statement(
  'raise_epoch_of_organization',
  `update organization_feed f
      set epoch = greatest(f.epoch + 1, (extract(epoch from statement_timestamp()) * 1000)::bigint)
     from installation i
    where f.organization_id = $1 and i.singleton
   returning i.epoch + f.epoch as epoch`,
)

export const selectEpoch = statement('select_epoch', 'select i.epoch from installation i where i.singleton')
