import { Building2, Columns3, ListChecks, ListTodo, type LucideIcon, Settings, Users } from 'lucide-react'
import type { Text } from '../words/index.ts'

/** A page that the navigation leads to. */
export interface Place {
  /** The part of its address behind the organization. */
  readonly path: string
  readonly name: Text
  readonly goTo: Text
  /** Pressed behind `g`. */
  readonly letter: string
  /** The scope without which it is not there. */
  readonly scope: string
  readonly icon: LucideIcon
  /** It stands at the end of the navigation; on small screens behind More. */
  readonly isLast?: true
}

export const places: readonly Place[] = [
  { path: 'contacts', name: 'Contacts', goTo: 'Go to Contacts', letter: 'c', scope: 'crm_contacts_read', icon: Users },
  {
    path: 'companies',
    name: 'Companies',
    goTo: 'Go to Companies',
    letter: 'o',
    scope: 'crm_companies_read',
    icon: Building2,
  },
  { path: 'deals', name: 'Deals', goTo: 'Go to Deals', letter: 'd', scope: 'crm_deals_read', icon: Columns3 },
  { path: 'tasks', name: 'Tasks', goTo: 'Go to Tasks', letter: 't', scope: 'crm_tasks_read', icon: ListChecks },
  {
    path: 'jobs',
    name: 'Jobs',
    goTo: 'Go to Jobs',
    letter: 'j',
    scope: 'crm_import_manage',
    icon: ListTodo,
    isLast: true,
  },
  {
    path: 'settings',
    name: 'Settings',
    goTo: 'Go to Settings',
    letter: 's',
    scope: 'settings_manage',
    icon: Settings,
    isLast: true,
  },
]
