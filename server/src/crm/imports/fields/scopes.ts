import { contact } from '../../contacts/index.ts'

/** The scope without which a field cannot be imported; null if it needs none. */
export function scopeOfField(key: string): string | null {
  const { contactData, customFields } = contact.fields
  if (key.startsWith('custom.')) return customFields?.writeScope ?? null
  if (key === 'tags') return 'crm_tags_read'
  return /^(?:phone|email)\d$|^address\.|^birthDate$/u.test(key) ? (contactData?.writeScope ?? null) : null
}

/** The scopes of fields, each once (gate 8). */
export function scopesOfFields(keys: readonly string[]): string[] {
  return [...new Set(keys.flatMap(key => scopeOfField(key) ?? []))]
}
