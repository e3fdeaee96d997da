import {
  activities,
  batchGet,
  batchUpsert,
  bulkUpdate,
  create,
  erase,
  files,
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
import { companiesOfContact } from './companies-of-contact.ts'
import { contact } from './contact.ts'
import { contactActivity, contactFile } from './parts.ts'

export { contact }

export const contacts: Module = {
  resources: [contact, contactActivity, contactFile],
  bulkActions: [bulkUpdate(contact, ['ownerUuid'])],
  operations: [
    list(contact),
    get(contact, companiesOfContact),
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
    ...activities(contactActivity),
    ...files(contactFile),
  ],
}
