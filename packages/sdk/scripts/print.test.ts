import { expect, test } from 'vitest'
import { type ApiDocument, type Method, methodOf, type OperationRow, queryTypeOf, readApi, typeName } from './api.ts'
import { documentation, wrap } from './documentation.ts'
import { entryOf } from './print-operations.ts'
import { interfaceName, printMethod, printResources } from './print-resources.ts'
import { printSchemas, querySchema } from './print-schemas.ts'

const path = '/api/boxes/{boxId}/pens'
const string = { type: 'string' }
const pens: ApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Pens', version: '1' },
  paths: {
    [path]: {
      get: {
        summary: 'List the pens',
        description: 'Needs `pens_read`.\n\nRefuses with\n\n- 404 `not_found`: There is no box, and */ ends nothing.',
        parameters: [
          { in: 'path', name: 'boxId', description: 'The id of the box.', required: true, schema: string },
          { in: 'query', name: 'cursor', description: 'Where to go on.', schema: string },
          {
            in: 'query',
            name: 'types',
            description: 'Of these.',
            explode: false,
            schema: { type: 'array', items: string },
          },
          { in: 'query', name: 'limit', description: 'How many.', schema: { type: 'integer', default: 50 } },
        ],
      },
      post: { summary: 'Add a pen', description: '', deprecated: true, parameters: [] },
    },
  },
  components: {
    schemas: {
      Pen: { type: 'object', required: ['colour'], properties: { colour: string } },
      PenPage: { properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Pen' } } } },
      PenAnswer: {
        properties: { data: { $ref: '#/components/schemas/Pen' }, meta: { $ref: '#/components/schemas/PenMeta' } },
      },
      CountAnswer: { type: 'object', properties: { data: { type: 'integer' } } },
      PenMeta: { type: 'object', properties: { weight: { type: 'integer' } } },
      Boxes: string,
    },
  },
}
const listing: OperationRow = {
  id: 'boxes.pens.list',
  method: 'GET',
  path,
  answer: 'PenPage',
  paged: true,
}
const adding: OperationRow = {
  id: 'boxes.pens.add',
  method: 'POST',
  path,
  body: 'Pen',
  answer: 'PenAnswer',
  keyed: true,
}
const list = methodOf(listing, pens)
const add = methodOf(adding, pens)
const head = (method: Method) => printMethod(method, pens).split('\n').at(-1)

test('the last part of an id names the method, and the rest its resource', () => {
  expect([list.resource, list.name, queryTypeOf(list)]).toEqual(['boxes.pens', 'list', 'BoxesPensListQuery'])
  expect(typeName('tasks.checklists.items')).toBe('TasksChecklistsItems')
})

test('an interface gives way to a component of its name', () => {
  expect(interfaceName('boxes', pens)).toBe('BoxesResource')
  expect(interfaceName('boxes.pens', pens)).toBe('BoxesPens')
})

test('a method takes path parameters, body, query and options in this order', () => {
  expect(head(list)).toBe('  list(boxId: string, query?: BoxesPensListQuery, options?: ReadOptions): List<Pen>')
  expect(head(add)).toBe('  add(body: Pen, options?: WriteOptions): Answer<Pen, PenMeta>')
  expect(head({ ...add, row: { ...adding, body: 'form' } })).toContain('(body: FormData, ')
})

test('a query with a member that must be there may not be left out', () => {
  const queryParameters = list.queryParameters.map(parameter => ({ ...parameter, required: true }))
  expect(head({ ...list, queryParameters })).toContain('query: BoxesPensListQuery')
  expect(querySchema({ ...list, queryParameters }).required).toEqual(['cursor', 'types', 'limit'])
})

test('a list without pages answers an array, and data without a name is taken from its answer', () => {
  const { paged: _, ...whole } = listing
  expect(head({ ...list, row: whole })).toContain('): Answer<Pen[]>')
  expect(head({ ...add, row: { ...adding, answer: 'CountAnswer' } })).toContain("): Answer<CountAnswer['data']>")
})

test('an operation that the document does not have is refused', () => {
  expect(() => methodOf({ ...listing, method: 'PUT' }, pens)).toThrow('The document does not have boxes.pens.list')
})

test('the comment of a method has its scopes, refusals and parameters, and ends where it should', () => {
  const text = documentation(list)
  expect(text).toContain('   * List the pens.\n   *\n   * Needs `pens_read`.')
  expect(text).toContain('   * - 404 `not_found`: There is no box, and *\\/ ends nothing.')
  expect(text).toContain('   * @param boxId The id of the box.')
  expect(text.indexOf('*/')).toBe(text.length - 2)
  expect(documentation(add)).toBe('  /**\n   * Add a pen.\n   *\n   * @deprecated\n   */')
})

test('long lines break between words, and points of a list keep their indentation', () => {
  const lines = wrap(`- ${'word '.repeat(40).trim()}`)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(/^ {2}word/u)
  expect(lines.every(line => line.length <= 116)).toBe(true)
})

test('an entry of the table has what a call needs, and nothing that does not hold', () => {
  expect(entryOf(list)).toEqual({
    id: 'boxes.pens.list',
    method: 'GET',
    path,
    query: true,
    joined: ['types'],
    paged: true,
  })
  expect(entryOf(add)).toEqual({ id: 'boxes.pens.add', method: 'POST', path, body: 'json', keyed: true })
  expect(entryOf({ ...add, row: { ...adding, cas: 'items' } })).not.toHaveProperty('cas')
})

test('a member with a default may be left out of a query', async () => {
  const text = await printSchemas({ document: pens, methods: [list] })
  expect(text).toContain("export type BoxesPensListQuery = components['schemas']['BoxesPensListQuery']")
  expect(text).toContain('limit?: number')
  expect(text).toContain('colour: string')
})

test('every operation of the API is a method with a comment, and no two have one name', async () => {
  const api = await readApi()
  const face = printResources(api)
  const names = api.methods.map(({ resource, name }) => `${resource}.${name}`)
  expect(new Set(names).size).toBe(names.length)
  expect(face.match(/^ {3}\*\/\n {2}\w+\(/gmu)).toHaveLength(names.length)
  expect(face).not.toContain('undefined')
})
