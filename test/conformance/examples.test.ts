import { expect, it } from 'vitest'
import { jsonBodyOf, type Operation } from '../../server/src/kernel/index.ts'
import { exampleExternalId, isObject, isUuid, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { jsonContent, nodeAt, placeOf } from '../golden/document.ts'
import { goldenDocument } from '../golden/render.ts'
import type { TestOrganization } from '../support/organization.ts'
import { productOf } from './support/agent-requests.ts'
import { aForm } from './support/forms.ts'
import { useApi } from './support/given.ts'
import { aRecord, aRequest, type Kind, plurals, send } from './support/requests.ts'
import { aTag } from './support/tags.ts'

const given = useApi()
const writing = operations.filter(operation => jsonBodyOf(operation) !== null)
const priced = writing.filter(({ id }) => /^(deals|productsSets)\./u.test(id))
/** The second currency has no digits behind the point. */
const tried = [
  ...writing.map(operation => ['EUR', operation.id, operation] as const),
  ...priced.map(operation => ['JPY', operation.id, operation] as const),
]

it.each(tried)('where all amounts are in %s, the example of %s succeeds', async (currency, _, operation) => {
  const organization = await given.organization()
  const settings = 'update organizations set default_currency = $2, currencies = $3 where id = $1'
  await given.configure(organization, settings, [organization.id, currency, [currency]])
  for (const [kind, externalId] of recordsFor(operation)) await aRecord(kind, organization, { externalId })
  if (operation.id.endsWith('.tags.replace')) await aTag(given, organization, { key: 'vip' })

  const request = await aRequest(operation, organization)
  const [path = '', query] = ((await places[operation.id]?.(organization)) ?? request.path).split('?')
  const { expectedVersion = request.body?.expectedVersion } = Object.fromEntries(new URLSearchParams(query))
  const there = {
    ...request.body,
    ...(expectedVersion === undefined ? {} : { expectedVersion: Number(expectedVersion) }),
  }
  const body = withWhatIs(there, exampleOf(operation))
  const answer = await send(organization.client, { method: request.method, path, body })
  expect({ expected: operation.success, ...answer.body }).not.toHaveProperty('error')
  expect(operation.success).toContain(answer.status)
  expect(answer.items.filter(element => 'error' in element)).toEqual([])
})

it('the words in the example of a search find the contact of the examples', async () => {
  const { client } = await given.organization()
  const created = operations.find(({ id }) => id === 'contacts.create')
  if (created === undefined) throw new Error('contacts are not created')
  await client.post('/contacts', exampleOf(created))
  const found = await client.get(`/search?q=${exampleOfQuery('/paths/~1api~1v1~1crm~1search/get', 'q')}`)
  expect(found.items).toMatchObject([{ externalId: exampleExternalId }])
})

/** The records, by their keys, that the example of an operation names without making them. */
function recordsFor({ id }: Operation): [Kind, string][] {
  const [group = '', verb = ''] = id.split('.')
  const both = (kind: Kind): [Kind, string][] => [exampleExternalId, 'A-1043'].map(key => [kind, key])
  if (id === 'bulkJobs.create') return both('task')
  if (id === 'companies.contacts.replace') return [['contact', exampleExternalId]]
  const own = (['contact', 'company', 'deal', 'task'] as const).filter(kind => plurals[kind] === group)
  const parties: [Kind, string][] = [
    ['contact', exampleExternalId],
    ['company', exampleExternalId],
  ]
  return [...(group === 'deals' ? parties : []), ...(/^(mergePreview|batchGet)$/u.test(verb) ? own.flatMap(both) : [])]
}

/** Where the examples go that fit no other place: the id in the path, and the columns of the file. */
const places: Readonly<Record<string, (organization: TestOrganization) => Promise<string>>> = {
  'productsSets.products.replace': async organization => (await productOf(organization, { id: 'tea-pot-1' })).path,
  async 'imports.start'({ client }) {
    const file = {
      name: 'file',
      fileName: 'contacts.csv',
      content: 'First Name,City,Email\nAnna,Boston,anna@example.com',
    }
    const { data } = await client.post(
      '/imports',
      undefined,
      aForm([file, { name: 'entityType', content: 'contacts' }]),
    )
    return `/imports/${data.id}/start`
  },
}

/** The example, with the ids and the version of the records that are there instead of those that it shows. */
function withWhatIs(there: JsonObject, example: JsonObject): JsonObject {
  const isId = (value: unknown) => (Array.isArray(value) ? value : [value]).every(each => isUuid(String(each)))
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      name in there && (name === 'expectedVersion' || isId(value)) ? there[name] : value,
    ]),
  )
}

function exampleOf(operation: Operation): JsonObject {
  return nodeAt(goldenDocument, `${placeOf(operation)}/requestBody${jsonContent}/example`)
}

/** The example of a query parameter. */
function exampleOfQuery(place: string, name: string): string {
  const { parameters } = nodeAt(goldenDocument, place)
  const parameter = (Array.isArray(parameters) ? parameters : []).filter(isObject).find(each => each.name === name)
  const examples = isObject(parameter?.schema) ? parameter.schema.examples : undefined
  if (!Array.isArray(examples)) throw new Error(`${name} has no example`)
  return encodeURIComponent(String(examples[0]))
}
