import type { Nested, Resource } from '../kernel/index.ts'
import { company, companyContact, companyOperations } from './companies/index.ts'
import { contact, contactOperations } from './contacts/index.ts'
import { deal, dealActivity, dealItem, dealOperations } from './deals/index.ts'
import { checklist, checklistItem, task, taskOperations } from './tasks/index.ts'

/** Every resource, one line each. */
export const resources: readonly Resource[] = [contact, company, deal, task]

/** Every kind of records that belong to one of them, one line each. */
export const nestedResources: readonly Nested[] = [companyContact, dealActivity, dealItem, checklist, checklistItem]

/** Every operation of a resource. */
export const resourceOperations = [...contactOperations, ...companyOperations, ...dealOperations, ...taskOperations]
