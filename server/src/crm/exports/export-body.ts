import type { FiledRows } from '../../kernel/columns/index.ts'
import type { BodyDeclaration, CheckedBody } from '../../kernel/index.ts'
import { compileSchema, isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { typeSchema } from './export-schema.ts'
import { filtersInputSchema, inspectFilters, tidyFilters, wrongFilters } from './filters.ts'
import { type ExportType, exportTypes } from './types.ts'

type Types = Readonly<Record<ExportType, FiledRows>>

/** The input of a new export. */
export interface ExportInput {
  readonly type: ExportType
  readonly csvSafe: boolean
  readonly filters: JsonObject
}

const schemaOf = (types: Types) => ({
  type: 'object',
  required: ['type'],
  properties: {
    type: typeSchema,
    csvSafe: {
      type: 'boolean',
      default: false,
      description:
        'Puts an apostrophe before texts that a spreadsheet would take for formulas. It changes phone numbers such as +1…, so such a ' +
        'file is not for importing again.',
    },
    filters: filtersInputSchema(types),
  },
  additionalProperties: false,
})

/** The body of `POST /exports` (contract section 10.2). */
export function exportBody(types: Types): BodyDeclaration {
  const schema = schemaOf(types)
  const check = compileSchema(schema)
  return {
    name: 'ExportCreate',
    schema: { ...schema, documented: { not: { anyOf: wrongFilters(types) } } },
    required: true,
    example: { type: 'contacts' },
    parse(body): CheckedBody {
      const issues = check(body, '')
      if (issues.length > 0 || !isObject(body)) return { value: body, issues }
      const input = toInput(body, types)
      return { value: input, issues: inspectFilters(body.filters, types[input.type], input.type) }
    },
  }
}

function toInput({ type, csvSafe, filters }: JsonObject, types: Types): ExportInput {
  const known = exportTypes.find(word => word === type)
  if (known === undefined) throw new Error('the type of an export was not checked')
  return {
    type: known,
    csvSafe: csvSafe === true,
    filters: tidyFilters(isObject(filters) ? filters : {}, types[known]),
  }
}

/** The input of a request whose body is validated. */
export function exportInputOf(body: unknown, types: Types): ExportInput {
  if (!isObject(body)) throw new Error('the body of an export was not checked')
  return toInput(body, types)
}
