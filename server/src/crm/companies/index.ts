import {
  activities,
  bulkUpdate,
  create,
  files,
  get,
  list,
  type Module,
  mergeCommit,
  mergePreview,
  nestedList,
  nestedReplace,
  removalCommit,
  removalPreview,
  tags,
  update,
  upsert,
} from '../../kernel/index.ts'
import { company } from './company.ts'
import { companyContact } from './company-contact.ts'
import { companyActivity, companyFile } from './parts.ts'

export { company }

// The specification gives companies no batch routes and no DELETE. Only delete/commit removes them.
export const companies: Module = {
  resources: [company, companyContact, companyActivity, companyFile],
  bulkActions: [bulkUpdate(company, ['ownerUuid'])],
  operations: [
    list(company),
    get(company),
    create(company),
    update(company),
    upsert(company),
    ...tags(company),
    nestedList(companyContact),
    nestedReplace(companyContact),
    removalPreview(company),
    removalCommit(company),
    mergePreview(company),
    mergeCommit(company),
    ...activities(companyActivity),
    ...files(companyFile),
  ],
}
