import type { Text } from '../../words/index.ts'

/** What a group of scopes is about, and what it shows. */
interface Subject {
  readonly name: Text
  readonly shows?: Text
}

const subjects: Readonly<Record<string, Subject>> = {
  crm_contacts: { name: 'Contacts', shows: 'Names and companies of people, without e-mail addresses and phones' },
  crm_contact_data: { name: 'Contact data', shows: 'E-mail addresses, phones, addresses and birth dates of contacts' },
  crm_companies: { name: 'Companies' },
  crm_deals: { name: 'Deals', shows: 'Deals without their amounts' },
  crm_amounts: { name: 'Amounts', shows: 'Money in deals, their items and the analytics' },
  crm_tasks: { name: 'Tasks' },
  crm_files: { name: 'Files', shows: 'Files of records' },
  crm_custom_fields: { name: 'Custom fields', shows: 'Values of the fields that the organization has added' },
  crm_tags: { name: 'Tags' },
  crm_operators: { name: 'Operators', shows: 'Who owns records, and who changed them' },
  crm_search: { name: 'Search', shows: 'One search over records of all kinds' },
  crm_analytics: { name: 'Analytics', shows: 'Figures about all deals and tasks' },
  crm_audit: { name: 'Audit', shows: 'Who changed what in records' },
  crm_bulk: { name: 'Bulk jobs', shows: 'Changes of many records at once' },
  crm_export: { name: 'Exports', shows: 'Files with all records of a kind' },
  crm_import: { name: 'Imports', shows: 'Records from files' },
  channels: { name: 'Channels' },
  ai_agents: { name: 'AI agents' },
  ai_products: { name: 'Products of AI agents' },
  ai_knowledge: { name: 'Knowledge of AI agents' },
  ai_integrations: { name: 'API integrations', shows: 'Addresses that AI agents call, with what is sent there' },
}

const verbs: Readonly<Record<string, Text>> = {
  read: 'Read',
  write: 'Create and change',
  delete: 'Delete and merge',
  manage: 'Manage',
}

/** Scopes of one subject. */
export interface ScopeGroup {
  readonly id: string
  /** Null for a subject that these pages do not know: its name is its id. */
  readonly name: Text | null
  readonly shows: Text | null
  readonly scopes: readonly { readonly id: string; readonly verb: Text }[]
}

/** Scopes by their subjects, in the order in which subjects are listed here. Rights that only people have are left out. */
export function groupScopes(scopes: readonly string[]): readonly ScopeGroup[] {
  const groups = new Map<string, ScopeGroup>(
    Object.entries(subjects).map(([id, { name, shows = null }]) => [id, { id, name, shows, scopes: [] }]),
  )
  for (const scope of scopes.filter(each => /^(?:crm|channels|ai)_/u.test(each))) {
    const [, subject = scope, verb = 'read'] = /^(.+)_(read|write|delete|manage)$/u.exec(scope) ?? []
    const group = groups.get(subject) ?? { id: subject, name: null, shows: null, scopes: [] }
    const words = verbs[verb] ?? 'Read'
    groups.set(subject, { ...group, scopes: [...group.scopes, { id: scope, verb: words }] })
  }
  return [...groups.values()].filter(group => group.scopes.length > 0)
}
