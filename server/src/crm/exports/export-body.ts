import type { FiledRows } from '../../kernel/columns/index.ts'
import type { BodyDeclaration, CheckedBody } from '../../kernel/index.ts'
import { compileSchema, isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { typeSchema } from './export-schema.ts'
import { filtersInputSchema, inspectFilters, tidyFilters, wrongFilters } from './filters.ts'
import { type ExportType, exportTypes } from './types.ts'

/** The input of a new export. */
export interface ExportInput {
  readonly type: ExportType
  readonly csvSafe: boolean
  readonly filters: JsonObject
}

const schema = {
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
    filters: filtersInputSchema,
  },
  additionalProperties: false,
}
const check = compileSchema(schema)

/** The body of `POST /exports` (contract section 10.2). */
export function exportBody(rows: Readonly<Record<ExportType, FiledRows>>): BodyDeclaration {
  return {
    name: 'ExportCreate',
    schema: { ...schema, documented: { not: { anyOf: wrongFilters(type => membersOf(rows[type])) } } },
    required: true,
    example: { type: 'contacts' },
    parse(body): CheckedBody {
      const issues = check(body, '')
      if (issues.length > 0 || !isObject(body)) return { value: body, issues }
      const input = toInput(body)
      return { value: input, issues: inspectFilters(body.filters, membersOf(rows[input.type]), input.type) }
    },
  }
}

/** The members of the records that filters refer to. */
function membersOf({ owner }: FiledRows): ReadonlySet<string> {
  return new Set([...Object.keys(owner.fields), 'createdAt', 'updatedAt'])
}

function toInput({ type, csvSafe, filters }: JsonObject): ExportInput {
  const known = exportTypes.find(word => word === type)
  if (known === undefined) throw new Error('the type of an export was not checked')
  return { type: known, csvSafe: csvSafe === true, filters: tidyFilters(isObject(filters) ? filters : {}) }
}

/** The input of a request whose body is validated. */
export function exportInputOf(body: unknown): ExportInput {
  if (!isObject(body)) throw new Error('the body of an export was not checked')
  return toInput(body)
}
