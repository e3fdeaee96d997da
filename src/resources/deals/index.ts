import { batchGet, batchUpsert, create, get, list, remove, tags, update, upsert } from '../../kernel/index.ts'
import { deal } from './deal.ts'
import { moveDeal } from './move.ts'

export { deal }

export const dealOperations = [
  list(deal),
  get(deal),
  create(deal),
  update(deal),
  moveDeal,
  remove(deal),
  upsert(deal),
  batchGet(deal),
  batchUpsert(deal),
  ...tags(deal),
]
