import { statement } from './statement.ts'

/**
 * The epoch behind that of the row `i` of `installation`, as SQL. The time in it keeps the epochs of two copies apart that were
 * restored from one backup. It is the time of the statement, because all nodes of a cluster have to write the same epoch.
 */
export const nextEpoch = 'greatest(i.epoch + 1, (extract(epoch from statement_timestamp()) * 1000)::bigint)'

/** Ends all positions in change feeds: they are told to read everything anew. */
export const raiseEpoch = statement(
  'raise_epoch',
  `update installation i set epoch = ${nextEpoch} where i.singleton returning i.epoch`,
)

/**
 * $1 organization: the same in its feed alone, whose epoch is that of the installation and its own together. The time keeps it apart from
 * epochs that the organization had before it was brought back from an older file.
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
