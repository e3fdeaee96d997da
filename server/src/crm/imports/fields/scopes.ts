import type { Projection } from '../../../kernel/schema/index.ts'
import { contact } from '../../contacts/index.ts'
import { looksLikeContactData } from './contact-like.rules.ts'

/** The projection that hides the values of a field from tokens that may not read them; null if none does. */
export function projectionOfField(key: string): Projection | null {
  if (key.startsWith('custom.')) return 'custom_fields'
  if (key === 'tags') return 'tags'
  return /^(?:phone|email)\d$|^address\.|^birthDate$/u.test(key) ? 'contact_data' : null
}

/** The projection that hides a text of a file whatever it is mapped to; null if none does. */
export function projectionOfText(text: string): Projection | null {
  return looksLikeContactData(text) ? 'contact_data' : null
}

/** The scope that the import of a field needs; null if it needs none. */
export function scopeOfField(key: string): string | null {
  const { contactData, customFields } = contact.fields
  const projection = projectionOfField(key)
  if (projection === 'custom_fields') return customFields?.writeScope ?? null
  if (projection === 'tags') return 'crm_tags_read'
  return projection === 'contact_data' ? (contactData?.writeScope ?? null) : null
}

/** The scopes of fields, each once (gate 8). */
export function scopesOfFields(keys: readonly string[]): string[] {
  return [...new Set(keys.flatMap(key => scopeOfField(key) ?? []))]
}
