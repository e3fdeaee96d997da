import {
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
  nestedReorder,
  nestedUpdate,
  remove,
  tags,
  update,
  upsert,
} from '../../kernel/index.ts'
import { checklist, checklistItem } from './checklist.ts'
import { task } from './task.ts'

/** A file that is attached to a task (contract section 6.8). */
const taskFile = defineAttachment(task, 'task_files')

export const tasks: Module = {
  resources: [task, checklist, checklistItem, taskFile],
  bulkActions: [bulkUpdate(task, ['status', 'priority', 'assigneeUuid', 'dueDate', 'startAt'])],
  operations: kinds => [
    list(task),
    get(task),
    create(task),
    update(task),
    remove(task, kinds),
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
    ...files(taskFile),
  ],
}
