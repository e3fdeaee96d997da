import type { Me, Membership } from '../api/index.ts'

const remembered = 'crm-organization'

/** The organization that the address names, or else the one used last, or else the first. Undefined for who belongs to none. */
export function currentOrganization({ organizations }: Me, id: string | undefined): Membership | undefined {
  const wanted = id ?? localStorage.getItem(remembered)
  return organizations.find(each => each.id === wanted) ?? (id === undefined ? organizations[0] : undefined)
}

/** Remembers the organization in this browser. */
export function rememberOrganization(id: string): void {
  localStorage.setItem(remembered, id)
}

/** Where to begin: the contacts of the organization, or the account of a person who belongs to none. */
export function homePath(me: Me): string {
  const organization = currentOrganization(me, undefined)
  return organization === undefined ? '/account' : `/o/${organization.id}/contacts`
}
