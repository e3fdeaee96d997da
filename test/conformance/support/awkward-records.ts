import { customFieldTypes, type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { customFieldKinds, taggedKinds } from '../../../server/src/modules.ts'
import { createCustomField, createTag } from '../../../server/src/settings/index.ts'
import { administrationOf } from '../../process/support/installations.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Random } from '../../support/random.ts'
import type { Given } from './given.ts'

const options = ['plain', 'second_choice', 'third']
const tagNames = ['Regular guest', 'a;b', 'back\\slash', '"quoted", comma', 'Важно 😀', '=1+1', "'=2"]

/** What careless writers and readers of files break. */
const pieces = [
  ...['"', '""', ',', ';', '\t', '|', '\\', "'", '\r\n', '\n', '\r', ' ', '  ', '\u00a0', '\u2028', '\u0085', '\ufeff'],
  ...[
    '=1+1',
    '+7',
    '-5',
    '@',
    "'=",
    "'+",
    '007',
    '0',
    '1e5',
    'true',
    'null',
    '#N/A',
    'sep=;',
    '%',
    '\u0007',
    '\u001b[1m',
  ],
  ...['Anna', 'Ёжик', 'née', 'e\u0301', '李', '😀', '👩‍👩‍👧', '\u200b', 'ß', 'İ', '\u202e', '\uffff'],
]

/** One and the same custom fields, tags and operator in both organizations. Gives the ids of the tags of the first. */
export async function configureAlike(
  { api }: Given,
  from: TestOrganization,
  to: TestOrganization,
  kind: 'contact' | 'company',
): Promise<string[]> {
  const administration = administrationOf(api.test.database)
  const named = options.map((key, index) => ({ key, label: `Option ${index}` }))
  for (const { id: organizationId } of [from, to]) {
    // Each field has its type as its key.
    for (const type of customFieldTypes) {
      const choice = type === 'select' || type === 'multiselect' ? { options: named } : {}
      await createCustomField(administration, { organizationId, kind, key: type, type, ...choice }, customFieldKinds)
    }
  }
  // Operators are told apart by ids alone, so the second organization has the first one's.
  await api.test.database.script(
    `update operators set id = '${from.operator}' where organization_id = '${to.id}' and id = '${to.operator}'`,
  )
  const tags: string[] = []
  for (const name of tagNames)
    tags.push((await createTag(administration, { organizationId: from.id, name }, taggedKinds)).id)
  // In another order, so that their ids are in another one too.
  for (const name of tagNames.toReversed())
    await createTag(administration, { organizationId: to.id, name }, taggedKinds)
  return tags
}

interface Choice {
  readonly operator: string
  readonly tags: readonly string[]
  /** Whether every field is filled, and not as it happens. */
  readonly isFull: boolean
}

/** A record with any content that requests take, and the tags that it is to have. */
export function awkwardRecord(
  kind: 'contact' | 'company',
  random: Random,
  { operator, tags, isFull }: Choice,
): { body: JsonObject; tagIds: readonly string[] } {
  const text = (most: number) => {
    const parts = Array.from({ length: random.between(1, 12) }, () => random.pick(pieces))
    // All of it may be white space, which counts as nothing.
    const visible = isFull ? 'x' : ''
    return [...`${visible}${parts.join('')}`].slice(0, most).join('')
  }
  const maybe = <Value>(value: Value) => (isFull || random.next() < 0.6 ? value : undefined)
  const several = <Value>(make: (index: number) => Value, most: number) =>
    Array.from({ length: isFull ? 3 : random.between(0, most) }, (_, index) => make(index))
  const primary = (items: JsonObject[]) => {
    const chosen = random.between(-1, items.length - 1)
    return items.map((item, index) => (index === chosen ? { ...item, isPrimary: true } : item))
  }
  const address = {
    label: `x${text(40)}`,
    country: 'DE',
    region: `${text(90)}x`,
    city: `${text(90)}x`,
    postalCode: `${text(30)}x`,
  }
  const contactData = {
    phones: primary(
      several(index => ({ value: `${random.pick(['+7 912 345-67-', '8 (912) 345-67-', '00'])}${10 + index}` }), 5),
    ),
    emails: primary(several(index => ({ value: `${random.pick(['a+b', '-x', "o'neil"])}${index}@example.com` }), 5)),
    addresses: primary(several(index => ({ ...address, line1: `${index}${text(80)}`, line2: `${text(80)}x` }), 3)),
    ...(kind === 'contact' ? { birthDate: maybe(random.pick(['1990-02-28', '0001-01-01'])) } : {}),
  }
  const customFields = {
    text: maybe(text(200)),
    number: maybe(random.pick(['-5', '0.000001', '7.50', '123456789012345'])),
    boolean: maybe(random.next() < 0.5),
    date: maybe('2024-02-29'),
    datetime: maybe('2024-02-29T23:59:59.999+05:00'),
    select: maybe(random.pick(options)),
    multiselect: maybe(random.some(options, 3)),
    url: maybe(`https://example.com/?a="b",c;d=${random.between(1, 99)}`),
    user: maybe(operator),
  }
  const own =
    kind === 'contact'
      ? {
          firstName: `A${text(90)}`,
          middleName: maybe(`${text(90)}x`),
          lastName: maybe(`${text(90)}x`),
          jobTitle: maybe(`${text(90)}x`),
        }
      : {
          name: `${text(90)}x`,
          legalName: maybe(`${text(90)}x`),
          taxId: maybe(random.pick(['0012-A', '-5', '1E10'])),
          registrationNumber: maybe(`00${random.between(1, 99)}`),
          industry: maybe(`${text(60)}x`),
          employeesCount: maybe(random.between(0, 10_000_000)),
          websites: several(index => `https://example.com/${random.pick(['a', 'A', 'я'])}/${index}?x=${index},"`, 3),
        }
  const body = {
    ...own,
    externalId: maybe(random.pick(['007', '=1', "'=", 'a,"b";c', 'ключ', '-5', 'é']) + newId()),
    description: maybe(`${text(500)}x${text(20)}`),
    source: maybe(`${text(60)}x`),
    ownerUuid: maybe(operator),
    contactData,
    customFields,
  }
  return { body, tagIds: isFull ? tags : tags.filter(() => random.next() < 0.3) }
}
