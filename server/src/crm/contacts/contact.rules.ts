import {
  type ContactData,
  type Field,
  type Issue,
  isObject,
  type JsonObject,
  type Refusal,
  sortedForm,
  violates,
} from '../../kernel/schema/index.ts'

// The same in SQL.
const nameText = `coalesce(nullif(rtrim(coalesce(t.last_name || ' ', '') || coalesce(t.first_name || ' ', '') || coalesce(t.middle_name, '')), ''),
  t.job_title, 'Contact ' || left(t.id::text, 8))`

/**
 * The display name of a contact: last, first and middle name, else the job title, else the beginning of the id. It is computed and never
 * stored.
 */
export const displayName: Field<null> = {
  output: { '': { type: 'string', maxLength: 300 } },
  description: 'Computed from the names; never a phone number or e-mail address.',
  example: 'Petrova Anna',
  order: { as: 'name', type: 'text', isNullable: false, value: () => sortedForm(nameText) },
  initial: null,
  present(_value, { id, lastName, firstName, middleName, jobTitle, anonymizedAt }) {
    if (anonymizedAt !== null) return { '': 'Anonymized contact' }
    const names = [lastName, firstName, middleName].filter(name => typeof name === 'string').join(' ')
    const shown = names || (typeof jobTitle === 'string' ? jobTitle : `Contact ${String(id).slice(0, 8)}`)
    return { '': shown.length > 300 ? [...shown].slice(0, 300).join('') : shown }
  },
  /** The full name in either order; if there is only one name, that name. */
  mentionedAs(_value, { firstName, middleName, lastName }) {
    const orders = [
      [firstName, lastName],
      [lastName, firstName],
      [firstName, middleName, lastName],
    ]
    return orders.map(names => names.filter(name => typeof name === 'string').join(' '))
  },
}

interface ContactState {
  readonly firstName: string | null
  readonly lastName: string | null
  readonly contactData: ContactData
}

const reachable = 'One of firstName, lastName, a phone or an e-mail is needed'

/** A contact needs a name, a phone or an e-mail address, so that people can identify or reach it. */
export const contactRules = {
  forbids: 'The contact would have neither a name, nor a phone, nor an e-mail.',

  inspectCreate({ firstName, lastName, contactData }: JsonObject): Issue[] {
    const lists = isObject(contactData) ? [contactData.phones, contactData.emails] : []
    const given = firstName || lastName || lists.some(list => Array.isArray(list) && list.length > 0)
    return given ? [] : [{ path: '/lastName', rule: 'required', message: reachable }]
  },
  documented: {
    create: {
      not: {
        patternProperties: {
          '^(firstName|lastName)$': { type: 'null' },
          '^contactData$': {
            type: 'object',
            patternProperties: { '^(phones|emails)$': { type: 'array', maxItems: 0 } },
          },
        },
      },
    },
  },
  settle<State extends ContactState>(next: State): State | Refusal {
    const { firstName, lastName, contactData } = next
    const known = firstName ?? lastName ?? contactData.phones[0] ?? contactData.emails[0]
    return known === undefined ? violates('/lastName', 'required', reachable) : next
  },
}
