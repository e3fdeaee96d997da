import { notFound } from '../errors/index.ts'
import { columnOf, Lookup, type Resource } from '../record/index.ts'
import { isObject, type JsonObject, phoneCountries, withE164 } from '../schema/index.ts'
import { claimedStatement, type Row, type Statement } from '../sql/index.ts'
import { stepTo, writeBehind } from '../write/decide.ts'
import type { RecordChange } from '../write/record-change.ts'

/** The field of a kind that has phone numbers; undefined for kinds without. */
export function fieldWithPhones({ fields }: Resource): string | undefined {
  return Object.entries(fields).find(([, { search }]) => search === 'contactData')?.[0]
}

const pages = new Map<string, Statement>()

/** The phones and countries of at most `most` records after an id, in the order of ids. They are not locked. */
export function phonesBehind(resource: Resource, afterId: string, most: number): Lookup {
  const name = `select_phones_of_${resource.plural}`
  const page = pages.get(name) ?? claimedStatement(name, pageOf(resource))
  pages.set(name, page)
  return Lookup.rows(page, [afterId, most])
}

/** $1 organization, $2 id, $3 the limit. */
function pageOf(resource: Resource): string {
  const name = fieldWithPhones(resource) ?? ''
  const field = resource.fields[name]
  if (field === undefined) throw new Error(`${resource.kind} has no phones`)
  const column = `t.${columnOf(name, field)}`
  return `select t.id, ${column} -> 'phones' as phones, ${locatedIn(column)} as addresses
     from ${resource.table.name} t
    where t.organization_id = $1 and t.id > $2
    order by t.id limit $3`
}

/** SQL of the addresses in contact data, with the members that determine the country of phone numbers. */
export function locatedIn(column: string): string {
  const told = `jsonb_build_object('country', a.address -> 'country', 'isPrimary', a.address -> 'isPrimary')`
  return `(select coalesce(jsonb_agg(${told}), '[]') from jsonb_array_elements(${column} -> 'addresses') as a(address))`
}

/** Whether a row of `phonesBehind` has a number with a different E.164 form in an organization of this country. */
export function readsOtherwise({ phones, addresses }: Row, country: string): boolean {
  return Array.isArray(phones) && isOther({ phones: phones.filter(isObject), addresses }, country)
}

function isOther(
  contactData: { readonly phones: readonly JsonObject[]; readonly addresses: unknown },
  country: string,
) {
  return withE164(contactData, phoneCountries(contactData, country)) !== contactData
}

/** Recomputes the E.164 forms of a record's phone numbers for the present country of the organization. */
export function normalizingPhones(resource: Resource, id: string): RecordChange {
  const name = fieldWithPhones(resource) ?? ''
  return {
    resource,
    needs: needs => needs.toChange(resource, { id }),
    decide(_, work, write) {
      const before = work.record(resource.kind, id)
      if (before === null) return notFound()
      const known = before[name]
      const next =
        isObject(known) && Array.isArray(known.phones) ? { ...known, phones: known.phones.filter(isObject) } : null
      if (next === null) return { status: 200, record: before, effect: null }
      const countries = phoneCountries(next, write.configuration.organization.country)
      return stepTo(resource, before, { ...before, [name]: withE164(next, countries) }, writeBehind(before, write))
    },
  }
}
