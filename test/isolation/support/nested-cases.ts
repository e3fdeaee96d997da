import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aChecklist } from '../../conformance/support/checklists.ts'
import { aRecord } from '../../conformance/support/requests.ts'
import type { Answer, Client } from '../../support/client.ts'
import type { Case, Names } from './names.ts'

const link = (expected: string, what: string, names: (names: Names) => readonly JsonObject[]): Case => [
  'companies.contacts.replace',
  what,
  expected,
  async (organization, foreign) => {
    const company = what.startsWith('the id in') ? foreign.ids.company : (await aRecord('company', organization)).id
    return organization.client.put(`/companies/${company}/contacts`, { expectedVersion: 1, contacts: names(foreign) })
  },
]

/** What can be named in the routes of companies' contacts. */
export const links: readonly Case[] = [
  [
    'companies.contacts.list',
    'the id in the path',
    '404 not_found',
    ({ client }, { ids }) => client.get(`/companies/${ids.company}/contacts`),
  ],
  link('404 not_found', 'the id in the path', () => []),
  link('404 not_found', 'a contact by id', ({ ids }) => [{ id: ids.contact }]),
  link('404 not_found', 'a contact by externalId', ({ keys }) => [{ externalId: keys.contact }]),
]

type Below = (
  client: Client,
  paths: { readonly lists: string; readonly list: string; readonly item: string },
  names: Names,
) => Promise<Answer>

/** Below a task of its own, but for what of the path is of the names. */
const checklist = (operation: string, what: 'task' | 'checklist' | 'item' | 'body', call: Below): Case => [
  `tasks.checklists.${operation}`,
  what === 'body' ? 'an item in the body' : `the ${what} in the path`,
  what === 'body' ? '422 validation_error' : '404 not_found',
  async (organization, names) => {
    const own = await aChecklist(organization, 1)
    const lists = what === 'task' ? `/tasks/${names.ids.task}/checklists` : own.checklists
    const list = `${lists}/${what === 'checklist' ? names.checklist : own.id}`
    const item = `${list}/items/${what === 'item' ? names.checklistItem : own.items[0]}`
    return call(organization.client, { lists, list, item }, names)
  },
]

/** What can be named in the routes of checklists. */
export const checklists: readonly Case[] = [
  checklist('list', 'task', (client, { lists }) => client.get(lists)),
  checklist('create', 'task', (client, { lists }) => client.post(lists, { title: 'x' })),
  ...(['task', 'checklist'] as const).flatMap(what => [
    checklist('update', what, (client, { list }) => client.patch(list, { expectedVersion: 1, title: 'x' })),
    checklist('remove', what, (client, { list }) => client.delete(`${list}?expectedVersion=1`)),
    checklist('items.create', what, (client, { list }) => client.post(`${list}/items`, { text: 'x' })),
    checklist('items.reorder', what, (client, { list }) => client.post(`${list}/items/reorder`, { itemIds: [] })),
  ]),
  ...(['task', 'checklist', 'item'] as const).flatMap(what => [
    checklist('items.update', what, (client, { item }) => client.patch(item, { expectedVersion: 1, isDone: true })),
    checklist('items.remove', what, (client, { item }) => client.delete(`${item}?expectedVersion=1`)),
  ]),
  checklist('items.reorder', 'body', (client, { list }, { checklistItem }) =>
    client.post(`${list}/items/reorder`, { itemIds: [checklistItem] }),
  ),
]
