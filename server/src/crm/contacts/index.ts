import {
  batchGet,
  batchUpsert,
  bulkUpdate,
  create,
  erase,
  get,
  list,
  type Module,
  mergeCommit,
  mergePreview,
  removalCommit,
  removalPreview,
  tags,
  update,
  upsert,
} from '../../kernel/index.ts'
import { contact } from './contact.ts'

export { contact }

export const contacts: Module = {
  resources: [contact],
  bulkActions: [bulkUpdate(contact, ['ownerUuid'])],
  operations: [
    list(contact),
    get(contact),
    create(contact),
    update(contact),
    erase(contact),
    removalPreview(contact),
    removalCommit(contact),
    mergePreview(contact),
    mergeCommit(contact),
    upsert(contact),
    batchGet(contact),
    batchUpsert(contact),
    ...tags(contact),
  ],
}
