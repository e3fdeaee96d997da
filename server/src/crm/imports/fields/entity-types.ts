import { filedLinksOf, filedNestedLinks } from '../../../kernel/columns/index.ts'
import type { AddableLinks, Kinds } from '../../../kernel/index.ts'
import { company } from '../../companies/index.ts'
import { contact } from '../../contacts/index.ts'
import { deal } from '../../deals/index.ts'

/** The types of rows that a file can have (specification, "Imports"). */
export const entityTypes = ['contacts', 'companies', 'company_contacts', 'deal_contacts', 'deal_companies'] as const
export type EntityType = (typeof entityTypes)[number]

/** A type that the specification lists and this server refuses: imports from other CRM products are set up elsewhere. */
export const refusedEntityType = 'provider_bundle'

function isEntityType(text: string): text is EntityType {
  return entityTypes.some(type => type === text)
}

/** The scopes that a token needs to read the data of rows of this type; protected values need more. */
export function readScopesOfRows(type: string): readonly string[] {
  const resource = isEntityType(type) ? resourceOf(type) : null
  return resource === null ? [] : [resource.scopes.read]
}

/** Whether a token with these scopes may read the data of rows of this type, apart from protected values. */
export function mayReadRows(type: string, scopes: ReadonlySet<string>): boolean {
  return readScopesOfRows(type).every(scope => scopes.has(scope))
}

/** The kind of record that a row of this type describes, or null for links. */
export function resourceOf(type: EntityType) {
  if (type === 'contacts') return contact
  return type === 'companies' ? company : null
}

/** Types of links whose rows name both sides. */
export interface LinkRows {
  readonly links: AddableLinks
  /** Whether rows may identify records by external keys too. */
  readonly takesKeys: boolean
}

/** The link that a row of this type describes, or null for records. */
export function linksOf(type: EntityType, { nestedResources }: Kinds): LinkRows | null {
  if (type === 'deal_companies') return { links: filedLinksOf(deal, 'companies'), takesKeys: false }
  if (type === 'deal_contacts') return { links: filedLinksOf(deal, 'contacts'), takesKeys: true }
  return type === 'company_contacts' ? { links: companyContacts({ nestedResources }), takesKeys: true } : null
}

/** The links of companies to contacts, which have records of their own. */
export function companyContacts({ nestedResources }: Pick<Kinds, 'nestedResources'>) {
  const nested = nestedResources.find(({ kind }) => kind === 'company_contact')
  if (nested === undefined) throw new Error('companies have no contacts')
  return filedNestedLinks(nested)
}
