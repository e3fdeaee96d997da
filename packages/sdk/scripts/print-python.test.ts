import { expect, test } from 'vitest'
import { type ApiDocument, methodOf, type OperationRow, readApi } from './api.ts'
import { printPythonMethod, printPythonOperations, printPythonResources } from './print-python-resources.ts'
import { printPythonSchema, pythonType } from './print-python-schemas.ts'
import { docstring, snakeCase } from './python.ts'

const path = '/api/boxes/{boxId}/pens'
const string = { type: 'string' }
const words = { type: 'array', items: string }
const pens: ApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Pens', version: '1' },
  paths: {
    [path]: {
      get: {
        summary: 'List the pens',
        description: 'Needs `pens_read`.',
        parameters: [
          { in: 'path', name: 'boxId', description: 'The id of the box.', required: true, schema: string },
          { in: 'query', name: 'penTypes', description: 'Of these.', explode: false, schema: words },
          { in: 'query', name: 'ink', description: 'With it.', required: true, schema: { type: 'integer' } },
        ],
      },
      post: { summary: 'Add pens', description: '', deprecated: true, parameters: [] },
    },
  },
  components: {
    schemas: {
      PenPage: { properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Pen' } } } },
      Boxes: string,
    },
  },
}
const listing: OperationRow = { id: 'boxes.pens.listAll', method: 'GET', path, answer: 'PenPage', paged: true }
const adding: OperationRow = {
  id: 'boxes.pens.add',
  method: 'POST',
  path,
  body: 'form',
  answer: 'PenPage',
  keyed: true,
}
const list = methodOf(listing, pens)
const add = methodOf(adding, pens)

test('path and body have places, the query and the options have names', () => {
  const text = printPythonMethod(list, pens)
  expect(text).toContain(
    [
      '    def list_all(',
      '        self,',
      '        box_id: str,',
      '        /,',
      '        *,',
      '        penTypes: Sequence[str] | None = None,',
      '        ink: int,',
      '        **options: Unpack[ReadOptions],',
      '    ) -> PagedList[Pen]:',
      '        """List the pens.',
    ].join('\n'),
  )
  expect(text).toContain(
    '        - box_id: The id of the box.\n        - penTypes: Of these.\n        - ink: With it.\n',
  )
  expect(text).toContain(
    'self._list("boxes.pens.listAll", [box_id], {"penTypes": penTypes, "ink": ink}, None, options)',
  )
})

test('a form has a type of its own, and a list without pages answers a list', () => {
  const text = printPythonMethod(add, pens)
  expect(text).toContain(
    '        body: Form,\n        /,\n        **options: Unpack[WriteOptions],\n    ) -> builtins.list[Pen]:',
  )
  expect(text).toContain('        Deprecated.\n')
})

test('the table has what a call needs', () => {
  const text = printPythonOperations({ methods: [list, add] })
  expect(text).toContain(`Operation("boxes.pens.listAll", "GET", "${path}", joined=("penTypes",)),`)
  expect(text).toContain(`Operation("boxes.pens.add", "POST", "${path}", form=True, keyed=True),`)
})

test('a type keeps the names of its members, also those that are words of Python', () => {
  const described = {
    type: 'object',
    required: ['a'],
    properties: { a: { ...string, description: 'One.' }, b: string },
  }
  expect(printPythonSchema('Pen', described)).toBe(
    'class Pen(TypedDict):\n    a: str\n    """One."""\n    b: NotRequired[str]\n',
  )
  expect(printPythonSchema('Time', { properties: { from: string }, required: ['from'] })).toContain('"from": "str",')
  expect(printPythonSchema('Nothing', { properties: {} })).toBe('class Nothing(TypedDict):\n    pass\n')
  expect(printPythonSchema('Colour', { enum: ['red', null, true] })).toBe(
    'Colour: TypeAlias = "Literal[\\"red\\", None, True]"\n',
  )
})

test.each([
  [{ $ref: '#/components/schemas/Pen' }, 'Pen'],
  [{ anyOf: [{ $ref: '#/components/schemas/Pen' }, { type: 'null' }] }, 'Pen | None'],
  [{ type: ['integer', 'null'] }, 'int | None'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'dict[str, float]'],
  [{ type: 'array' }, 'list[Any]'],
  [{}, 'Any'],
])('the type of %j is %s', (schema, type) => {
  expect(pythonType(schema)).toBe(type)
})

test('a docstring ends where it should', () => {
  expect(docstring(['A \\ and """ and "'], '  ')).toBe('  """A \\\\ and \\"\\"\\" and \\""""')
  expect(snakeCase('knowledgeBases')).toBe('knowledge_bases')
})

test('every operation of the API is a method with a docstring', async () => {
  const api = await readApi()
  const text = printPythonResources(api)
  expect(text.match(/:\n {8}"""[A-Z]/gu)).toHaveLength(api.methods.length)
  expect(text).not.toContain('undefined')
})
