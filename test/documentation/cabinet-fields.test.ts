import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filtersOf } from '../../cabinet/src/lists/filters.rules.ts'
import { fieldsOf } from '../../cabinet/src/records/fields.ts'
import { kindFacts, kinds } from '../../cabinet/src/records/kinds.ts'
import { isObject, type Json, type JsonObject } from '../../cabinet/src/records/record.ts'

const document: JsonObject = JSON.parse(readFileSync(new URL('../../docs/api/openapi.json', import.meta.url), 'utf8'))
const schemas = at(document, ['components', 'schemas'])

test.for(kinds)('the fields of %s are those that the API has, with its bounds', kind => {
  const name = capital(kindFacts[kind].singular)
  for (const { path, form, max, required, choices, sentAs } of fieldsOf[kind]) {
    expect(schemaAt(name, path), `${name}.${path}`).toBeDefined()
    if (form === undefined) continue
    const body = `${name}${form === 'create' ? 'Create' : 'Update'}`
    const schema = schemaAt(body, sentAs ?? path)
    expect(schema, `${body}.${path}`).toBeDefined()
    const bound = schema?.maxLength ?? schema?.maxItems ?? schema?.maximum
    expect(max, `${body}.${path}`).toBe(bound === 2_147_483_647 ? undefined : bound)
    if (choices !== undefined) expect(choices).toEqual(schema?.enum)
    const created = at(schemas, [`${name}Create`]).required
    const isRequired = Array.isArray(created) && created.includes(path)
    if (isRequired) expect(required, path).toBe(true)
  }
})

test.for(kinds)('the filters and orders of %s are those of its list', kind => {
  const parameters = at(document, ['paths', `/api/v1/crm/${kind}`, 'get']).parameters
  const names = (Array.isArray(parameters) ? parameters : []).flatMap(parameter =>
    isObject(parameter) && typeof parameter.name === 'string' ? [parameter.name] : [],
  )
  const known = filtersOf[kind].map(({ name }) => name)
  expect([...known, 'customField', 'cursor', 'limit', 'search', 'sort'].sort()).toEqual(names.sort())
  const sorts = at(schemas, [`${capital(kindFacts[kind].singular)}Sort`]).enum
  expect(kindFacts[kind].orders.flatMap(order => [order, `-${order}`])).toEqual(sorts)
})

function schemaAt(component: string, path: string): JsonObject | undefined {
  let schema: Json | undefined = { $ref: `#/components/schemas/${component}` }
  for (const member of path.split('.')) schema = at(resolve(schema), ['properties'])[member]
  return schema === undefined ? undefined : resolve(schema)
}

function resolve(schema: Json | undefined): JsonObject {
  if (!isObject(schema)) return {}
  if (Array.isArray(schema.anyOf)) return resolve(schema.anyOf[0])
  if (typeof schema.$ref !== 'string') return schema
  const { $ref, ...own } = schema
  return { ...resolve(schemas[$ref.split('/').at(-1) ?? '']), ...own }
}

function at(object: JsonObject, path: readonly string[]): JsonObject {
  return path.reduce<JsonObject>((outer, member) => {
    const inner = outer[member]
    return isObject(inner) ? inner : {}
  }, object)
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}
