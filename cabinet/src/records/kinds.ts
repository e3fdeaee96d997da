/** The four kinds of records, as lists and addresses name them. */
export const kinds = ['contacts', 'companies', 'deals', 'tasks'] as const

export type Kind = (typeof kinds)[number]

/** A kind as changes, audit entries and links name it. */
export type Singular = 'contact' | 'company' | 'deal' | 'task'

interface KindFacts {
  readonly singular: Singular
  /** The member that names a record. */
  readonly title: 'displayName' | 'name' | 'title'
  /** The scopes that a page asks for before it offers something. */
  readonly write: string
  readonly remove: string
  /** The orders that the list has, ascending. */
  readonly orders: readonly string[]
}

export const kindFacts: Readonly<Record<Kind, KindFacts>> = {
  contacts: {
    singular: 'contact',
    title: 'displayName',
    write: 'crm_contacts_write',
    remove: 'crm_contacts_delete',
    orders: ['createdAt', 'updatedAt', 'name'],
  },
  companies: {
    singular: 'company',
    title: 'name',
    write: 'crm_companies_write',
    remove: 'crm_companies_delete',
    orders: ['createdAt', 'updatedAt', 'name'],
  },
  deals: {
    singular: 'deal',
    title: 'title',
    write: 'crm_deals_write',
    remove: 'crm_deals_delete',
    orders: ['createdAt', 'updatedAt', 'title', 'amount', 'expectedCloseDate'],
  },
  tasks: {
    singular: 'task',
    title: 'title',
    write: 'crm_tasks_write',
    remove: 'crm_tasks_delete',
    orders: ['createdAt', 'updatedAt', 'title', 'dueDate'],
  },
}

/** Whether a part of an address names a kind. */
export function isKind(name: string): name is Kind {
  return kinds.some(kind => kind === name)
}
