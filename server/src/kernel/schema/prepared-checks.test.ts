import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompiler, formats, sourceOfChecks } from './check-compiler.ts'
import type { JsonSchema } from './json.ts'
import { fileOfChecks, PreparedChecks } from './prepared-checks.ts'

const values = [
  '2026-02-28',
  '2026-02-30',
  '2026-02-28T10:00:00Z',
  '0198f1de-5c10-7000-8000-000000000000',
  'EUR',
  'DE',
  'erp-17',
  'someone@example.com',
  'https://example.com',
  '',
]
const schemas: JsonSchema[] = Object.keys(formats).map(format => ({ type: 'string', format }))
const references = {
  type: 'object',
  required: ['companies'],
  properties: {
    companies: { type: 'array', maxItems: 2, items: { $ref: 'Reference' } },
    name: { type: ['string', 'null'], maxLength: 3 },
  },
  additionalProperties: false,
}

describe('checks that were compiled with the program', () => {
  let folder: string
  let prepared: PreparedChecks
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crm-checks-'))
    for (const kind of ['quick', 'thorough'] as const)
      await writeFile(join(folder, fileOfChecks(kind)), sourceOfChecks(kind, [...schemas, references]))
    prepared = new PreparedChecks(formats, folder)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([
    ['quick', false],
    ['thorough', true],
  ] as const)('find the same as a check that is compiled now, %s', (kind, allErrors) => {
    const compiler = createCompiler(allErrors)
    const same = (schema: JsonSchema, value: unknown) => {
      const [found, compiled] = [prepared.find(kind, schema), compiler.compile(schema)]
      expect([found?.(value), found?.errors]).toEqual([compiled(value), compiled.errors])
    }
    for (const schema of schemas) for (const value of values) same(schema, value)
    same(references, { companies: [{ id: 'no id', externalId: 'x' }, {}, null], name: '👩‍🚀👩‍🚀', more: 1 })
    same(references, { companies: [{ externalId: 'x' }], name: null })
  })

  it('are looked up by the content of a schema, and no other schema has them', () => {
    expect(prepared.find('quick', structuredClone(references))).toBeDefined()
    expect(prepared.find('quick', { ...references, required: [] })).toBeUndefined()
  })
})
