import { newId } from '../../server/src/kernel/schema/index.ts'

/** Bodies of requests for valid records; the arguments override the defaults. Keys are unique. */
export function aContact(members: Readonly<Record<string, unknown>> = {}) {
  return {
    externalId: `contact-${newId()}`,
    firstName: 'Anna',
    lastName: 'Petrova',
    contactData: { phones: [{ value: '+1 202 555 0143' }], emails: [{ value: 'anna@example.com' }] },
    ...members,
  }
}

export function aCompany(members: Readonly<Record<string, unknown>> = {}) {
  return { externalId: `company-${newId()}`, name: 'Northwind', ...members }
}

/** A deal needs a party: pass `companies` or `contacts`. */
export function aDeal(members: Readonly<Record<string, unknown>>) {
  return { externalId: `deal-${newId()}`, title: 'Two hundred chairs', amount: '1500.00', ...members }
}

export function aTask(members: Readonly<Record<string, unknown>> = {}) {
  return { externalId: `task-${newId()}`, title: 'Call about the chairs', ...members }
}
