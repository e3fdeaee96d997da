import {
  type BodyDeclaration,
  expectedVersionSchema,
  filterParameters,
  limits,
  malformed,
  parseQuery,
  type Refusal,
  type Resource,
  selectionParameters,
} from '../../kernel/index.ts'
import { compileSchema, type Issue, type JsonSchema, textSchema } from '../../kernel/schema/index.ts'
import type { ViewDefinition } from './view.ts'
import { viewBounds } from './view-bounds.ts'

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })

/** JSON Schema of what a view shows. */
const definitionSchema: JsonSchema = {
  component: 'ViewDefinition',
  type: 'object',
  required: ['filters'],
  properties: {
    filters: {
      type: 'object',
      maxProperties: 30,
      additionalProperties: {
        anyOf: [text(1000), { type: 'array', minItems: 1, maxItems: limits.filterValues, items: text(1000) }],
      },
      description: 'Parameters of the list with their values.',
      example: { status: ['open'] },
    },
    sort: { ...text(100), description: 'The order, as the list takes it.', example: '-updatedAt' },
    columns: {
      type: 'array',
      maxItems: 50,
      items: text(100),
      description: 'The columns, in order.',
      example: ['title'],
    },
  },
  additionalProperties: false,
}

const name = { ...text(100), pattern: String.raw`\S`, description: 'What people call it.', example: 'My open deals' }
const shared = { type: 'boolean', description: 'Whether all users of the organization see it.', example: false }

/** The body that creates a view of one of these kinds. */
export function newViewBody(kinds: readonly string[]): BodyDeclaration {
  const kind = { component: 'ViewKind', type: 'string', enum: kinds, description: 'The kind of records.' }
  return bodyOf('ViewCreate', {
    type: 'object',
    required: ['kind', 'name', 'definition'],
    properties: { kind, name, shared, definition: definitionSchema },
    additionalProperties: false,
  })
}

/** The body that changes a view. */
export const viewPatchBody: BodyDeclaration = bodyOf('ViewPatch', {
  type: 'object',
  required: ['expectedVersion'],
  properties: { expectedVersion: expectedVersionSchema, name, shared, definition: definitionSchema },
  additionalProperties: false,
})

function bodyOf(component: string, schema: JsonSchema): BodyDeclaration {
  const check = compileSchema(schema)
  return { name: component, schema, required: true, parse: body => ({ value: body, issues: check(body, '') }) }
}

/** Refuses (400) a view whose list would refuse its filters or its order. Values of custom fields are checked by the list alone. */
export function refuseDefinition(resource: Resource, definition: ViewDefinition): Refusal | null {
  const issues: Issue[] = parseQuery(filterParameters(resource), definition.filters).issues.map(issue => ({
    ...issue,
    path: issue.path.replace('query:', '/definition/filters/'),
  }))
  const { sort } = definition
  if (sort !== undefined && selectionParameters(resource).sort?.parse(sort) === undefined)
    issues.push({ path: '/definition/sort', rule: 'sort', message: 'The list has no such order' })
  const { most } = viewBounds.viewBytes
  if (Buffer.byteLength(JSON.stringify(definition)) > most)
    issues.push({ path: '/definition', rule: 'maxBytes', message: `A view takes at most ${most} bytes` })
  return issues.length === 0 ? null : malformed(issues)
}

/** JSON Schema of a view in answers. */
export function viewSchema(kinds: readonly string[]): JsonSchema {
  return {
    component: 'View',
    type: 'object',
    required: ['id', 'version', 'createdAt', 'updatedAt', 'kind', 'name', 'shared', 'mine', 'definition'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      version: { type: 'integer', minimum: 1, description: 'For the next change.' },
      createdAt: { type: 'string', format: 'date-time', description: 'When it was made.' },
      updatedAt: { type: 'string', format: 'date-time', description: 'When it was last changed.' },
      kind: { component: 'ViewKind', type: 'string', enum: kinds, description: 'The kind of records.' },
      name: textSchema('What people call it.', 'My open deals'),
      shared,
      mine: { type: 'boolean', description: 'Whether the caller has made it.', example: true },
      definition: { ...definitionSchema, component: 'KeptViewDefinition' },
    },
  }
}
