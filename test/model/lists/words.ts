import { isObject } from '../../../server/src/kernel/schema/index.ts'
import type { Kind } from '../world.ts'
import type { State } from './history.ts'

const named: Readonly<Record<Kind, readonly string[]>> = {
  contact: ['lastName', 'firstName', 'middleName'],
  company: ['name', 'legalName'],
  deal: ['title'],
  task: ['title'],
}

/** The form in which texts are compared: without case and accents. */
export const formOf = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/gu, '')
    .toLowerCase()

/** The texts in which a list searches words: names or title, and e-mail addresses. No search here has digits, which phones have. */
export function searchedTexts(kind: Kind, { data }: State): string[] {
  const { emails } = isObject(data.contactData) ? data.contactData : { emails: [] }
  const addresses = Array.isArray(emails) ? emails.map(email => String(email.value)) : []
  return [...named[kind].flatMap(name => (data[name] === null ? [] : [String(data[name])])), ...addresses].map(formOf)
}
