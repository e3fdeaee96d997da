import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { aRecord } from './requests.ts'

/** Words that must not be found anywhere after the person is erased. */
export const person = {
  firstName: 'Xantippe',
  middleName: 'Yolanda',
  lastName: 'Zwetschkenbaum',
  jobTitle: 'Quartermaster',
  description: 'Collects barometers',
  source: 'Leipzigfair',
  contactData: {
    phones: [{ value: '+1 202 555 0187' }],
    emails: [{ value: 'xantippe@barometer.example' }],
    addresses: [{ city: 'Oberammergau' }],
    messengers: [{ type: 'viber', value: 'xanti.zwet' }],
    birthDate: '1971-12-24',
  },
} satisfies JsonObject
export const traces =
  /Xantippe|Yolanda|Zwetschkenbaum|Quartermaster|barometer|Leipzigfair|5550187|555 0187|Oberammergau|xanti|1971-12-24/iu

/** A contact with all of these words, and one of them in its key. */
export async function aPerson(organization: TestOrganization, members: JsonObject = {}) {
  return aRecord('contact', organization, {
    ...person,
    externalId: `xanti.zwet-${keys()}@barometer.example`,
    ...members,
  })
}

let made = 0
function keys(): number {
  made += 1
  return made
}

/** Anonymizes or fully deletes a contact. */
export const erase = ({ client }: TestOrganization, id: unknown, mode: string, version = 1, key?: string) =>
  client.delete(`/contacts/${id}?expectedVersion=${version}&mode=${mode}`, undefined, key === undefined ? {} : { key })
