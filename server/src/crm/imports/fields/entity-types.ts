import { filedLinksOf, filedNestedLinks } from '../../../kernel/columns/index.ts'
import type { AddableLinks, Kinds } from '../../../kernel/index.ts'
import { company } from '../../companies/index.ts'
import { contact } from '../../contacts/index.ts'
import { deal } from '../../deals/index.ts'

/** What the rows of a file are about (specification, "Imports"). */
export const entityTypes = ['contacts', 'companies', 'company_contacts', 'deal_contacts', 'deal_companies'] as const
export type EntityType = (typeof entityTypes)[number]

/** A type that the specification lists and this server refuses, because imports from other CRM products are set up elsewhere. */
export const refusedEntityType = 'provider_bundle'

function isEntityType(text: string): text is EntityType {
  return entityTypes.some(type => type === text)
}

/** The scopes without which a token may not read what rows of this type are about; protected values need more. */
export function readScopesOfRows(type: string): readonly string[] {
  const resource = isEntityType(type) ? resourceOf(type) : null
  return resource === null ? [] : [resource.scopes.read]
}

/** Whether a token with these scopes may read what rows of this type are about, but for protected values. */
export function mayReadRows(type: string, scopes: ReadonlySet<string>): boolean {
  return readScopesOfRows(type).every(scope => scopes.has(scope))
}

/** The kind of records that rows of this type are, or null if they are links. */
export function resourceOf(type: EntityType) {
  if (type === 'contacts') return contact
  return type === 'companies' ? company : null
}

/** Links whose rows name both sides. */
export interface LinkRows {
  readonly links: AddableLinks
  /** Whether rows may name records by external keys too. */
  readonly takesKeys: boolean
}

/** The links that rows of this type are, or null if they are records. */
export function linksOf(type: EntityType, { nestedResources }: Kinds): LinkRows | null {
  if (type === 'deal_companies') return { links: filedLinksOf(deal, 'companies'), takesKeys: false }
  if (type === 'deal_contacts') return { links: filedLinksOf(deal, 'contacts'), takesKeys: true }
  return type === 'company_contacts' ? { links: companyContacts({ nestedResources }), takesKeys: true } : null
}

/** The links of companies to contacts, which are records of their own. */
export function companyContacts({ nestedResources }: Pick<Kinds, 'nestedResources'>) {
  const nested = nestedResources.find(({ kind }) => kind === 'company_contact')
  if (nested === undefined) throw new Error('companies have no contacts')
  return filedNestedLinks(nested)
}
