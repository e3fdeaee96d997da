import {
  activities,
  batchGet,
  batchUpsert,
  bulkUpdate,
  create,
  defineAttachment,
  files,
  get,
  list,
  type Module,
  nestedCreate,
  nestedList,
  nestedRemove,
  nestedUpdate,
  remove,
  tags,
  update,
  upsert,
} from '../../kernel/index.ts'
import { dealActivity } from './activity.ts'
import { closingKinds } from './closings.ts'
import { deal } from './deal.ts'
import { listDealEvents } from './event-feed.ts'
import { dealItem } from './item.ts'
import { moveDeal, moveDeals } from './move.ts'

/** A file that is attached to a deal (contract section 6.8). */
const dealFile = defineAttachment(deal, 'deal_files')

export { type DealClosing, isDealClosing, readDealClosings } from './closings.ts'
export { deal }

export const deals: Module = {
  resources: [deal, dealActivity, dealItem, dealFile],
  derivedEvents: closingKinds,
  bulkActions: [
    bulkUpdate(deal, ['title', 'description', 'amount', 'currency', 'priority', 'ownerUuid', 'expectedCloseDate']),
    moveDeals,
  ],
  operations: kinds => [
    list(deal),
    get(deal),
    create(deal),
    update(deal),
    moveDeal,
    remove(deal, kinds),
    upsert(deal),
    batchGet(deal),
    batchUpsert(deal),
    ...tags(deal),
    listDealEvents,
    ...activities(dealActivity),
    nestedList(dealItem),
    nestedCreate(dealItem),
    nestedUpdate(dealItem),
    nestedRemove(dealItem),
    ...files(dealFile),
  ],
}
