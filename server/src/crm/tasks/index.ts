import {
  batchGet,
  batchUpsert,
  bulkUpdate,
  create,
  get,
  list,
  type Module,
  nestedCreate,
  nestedList,
  nestedRemove,
  nestedReorder,
  nestedUpdate,
  remove,
  tags,
  update,
  upsert,
} from '../../kernel/index.ts'
import { checklist, checklistItem } from './checklist.ts'
import { task } from './task.ts'

export const tasks: Module = {
  resources: [task, checklist, checklistItem],
  bulkActions: [bulkUpdate(task, ['status', 'priority', 'assigneeUuid', 'dueDate', 'startAt'])],
  operations: [
    list(task),
    get(task),
    create(task),
    update(task),
    remove(task),
    upsert(task),
    batchGet(task),
    batchUpsert(task),
    ...tags(task),
    nestedList(checklist),
    nestedCreate(checklist),
    nestedUpdate(checklist),
    nestedRemove(checklist),
    nestedCreate(checklistItem),
    nestedReorder(checklistItem, 'itemIds'),
    nestedUpdate(checklistItem),
    nestedRemove(checklistItem),
  ],
}
