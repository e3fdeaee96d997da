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

export const selectEpoch = statement('select_epoch', 'select i.epoch from installation i where i.singleton')
