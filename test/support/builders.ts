import { newId } from '../../server/src/kernel/schema/index.ts'

/** Request bodies of valid records; the given members win. Keys are new each time. */
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

/** A deal needs a party: give `companies` or `contacts`. */
export function aDeal(members: Readonly<Record<string, unknown>>) {
  return { externalId: `deal-${newId()}`, title: 'Two hundred chairs', amount: '1500.00', ...members }
}

export function aTask(members: Readonly<Record<string, unknown>> = {}) {
  return { externalId: `task-${newId()}`, title: 'Call about the chairs', ...members }
}
