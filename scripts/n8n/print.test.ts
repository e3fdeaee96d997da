import { expect, test } from 'vitest'
import { type Method, readApi } from '../../packages/sdk/scripts/api.ts'
import { inputsOf } from './inputs.ts'
import { actionOf, optionLabel, resourceLabel, titleOf } from './labels.ts'
import { isOffered } from './offered.ts'
import { entryOf } from './print-operations.ts'
import { propertiesOf } from './print-properties.ts'

const { document, methods } = await readApi()
const { schemas } = document.components
const offered = methods.filter(isOffered)
const method = (id: string): Method => {
  const found = offered.find(({ row }) => row.id === id)
  if (found === undefined) throw new Error(`the node does not offer ${id}`)
  return found
}
const inputOf = (id: string, name: string) => inputsOf(method(id), schemas).find(input => input.name === name)
const shownFor = (resource: string, operation: string) =>
  propertiesOf(offered, schemas).filter(({ displayOptions }) =>
    JSON.stringify(displayOptions)?.includes(
      JSON.stringify({ resource: [resource], operation: [operation] }).slice(1, -1),
    ),
  )

test('the node offers what is done with single records, and neither files nor batches nor previews', () => {
  const ids = offered.map(({ row }) => row.id)
  expect(ids).toEqual(
    expect.arrayContaining(['contacts.upsert', 'deals.move', 'deals.items.create', 'tasks.remove', 'search.query']),
  )
  expect(ids.filter(id => /files|batch|Preview|Commit|^agents|imports|changes/u.test(id))).toEqual([])
})

test('an object with fixed members is an input for each of them, named after both', () => {
  expect(inputOf('contacts.create', 'contactDataEmails')).toMatchObject({
    member: ['contactData', 'emails'],
    label: 'Emails',
  })
  expect(inputOf('tasks.create', 'dealExternalId')).toMatchObject({
    member: ['deal', 'externalId'],
    label: 'Deal External ID',
  })
  expect(inputOf('contacts.create', 'customFields')).toMatchObject({ member: ['customFields'] })
})

test('an entry of the table says where each value goes, and in which form', () => {
  const { inputs, ...rest } = entryOf(method('contacts.update'), schemas)
  expect(rest).toEqual({ method: 'PATCH', path: '/api/v1/crm/contacts/{id}', keyed: true })
  expect(inputs).toEqual(
    expect.arrayContaining([
      { name: 'id', place: 'path', member: ['id'], onTop: true },
      { name: 'expectedVersion', place: 'body', member: ['expectedVersion'], onTop: true },
      { name: 'customFields', place: 'body', member: ['customFields'], form: 'json' },
      { name: 'contactDataPhones', place: 'body', member: ['contactData', 'phones'], form: 'rows' },
    ]),
  )
})

test('required values stand alone, optional ones in a collection, and a list has a limit', () => {
  const top = (resource: string, operation: string) => shownFor(resource, operation).map(({ name }) => name)
  expect(top('tasks', 'create')).toEqual(['title', 'additionalFields'])
  expect(top('contacts', 'upsert')).toEqual(['overwrite', 'externalId', 'additionalFields'])
  expect(top('contacts', 'remove')).toEqual(['id', 'expectedVersion', 'options'])
  expect(top('deals', 'list')).toEqual(['returnAll', 'limit', 'options'])
})

test('every input of every operation is a parameter that the editor shows for it', () => {
  for (const { row, resource, name } of offered) {
    const shown = shownFor(resource, name)
    const names = shown.flatMap(property => [
      property.name,
      ...(property.options ?? []).map(option => Reflect.get(option, 'name')),
    ])
    const missing = inputsOf(method(row.id), schemas).filter(input => !names.includes(input.name))
    expect([row.id, missing]).toEqual([row.id, []])
  }
})

test('names are spelled as n8n spells them', () => {
  expect([titleOf('ownerUuid'), titleOf('externalId'), titleOf('tagIds')]).toEqual([
    'Owner UUID',
    'External ID',
    'Tag IDs',
  ])
  expect([resourceLabel('deals.items'), resourceLabel('tasks.checklists.items')]).toEqual([
    'Deal Item',
    'Checklist Item',
  ])
  expect([actionOf('companies', 'list'), actionOf('deals', 'upsert')]).toEqual([
    'Get many companies',
    'Create or update a deal',
  ])
  expect([optionLabel('createdAt'), optionLabel('-createdAt')]).toEqual(['Created At', 'Created At, Descending'])
})
