import { batchGet, batchUpsert, create, get, list, remove, tags, update, upsert } from '../../kernel/index.ts'
import { task } from './task.ts'

export { task }

export const taskOperations = [
  list(task),
  get(task),
  create(task),
  update(task),
  remove(task),
  upsert(task),
  batchGet(task),
  batchUpsert(task),
  ...tags(task),
]
