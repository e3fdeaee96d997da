import { type ErrorCode, errorCatalogue } from '../errors/index.ts'
import { type JsonSchema, uuidSchema } from '../schema/index.ts'
import { errorDetails } from './error-details.ts'
import { sentences } from './keywords.ts'

const codes = Object.entries(errorDetails)

const failure: Readonly<Record<string, JsonSchema>> = {
  code: { enum: Object.keys(errorCatalogue), description: 'What went wrong, for programs.' },
  message: { type: 'string', description: 'What went wrong, for people; the wording may change.' },
  details: { $ref: '#/components/schemas/ErrorDetails' },
}

/** The components that failures are described with. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    type: 'object',
    description: 'The envelope of every failure.',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'details', 'requestId'],
        properties: {
          ...failure,
          requestId: { ...uuidSchema, description: 'Names the request in the logs of the server.' },
        },
        allOf: [{ $ref: '#/components/schemas/DetailsByCode' }],
      },
    },
  },
  ElementError: {
    type: 'object',
    description: 'Why an element of a batch was refused, as the single request would have been.',
    required: ['code', 'message', 'details'],
    properties: failure,
    allOf: [{ $ref: '#/components/schemas/DetailsByCode' }],
  },
  ErrorDetails: {
    type: 'object',
    description: 'What more there is to say. Which members are there follows from the code; there may be others.',
    properties: membersOfAll(),
    additionalProperties: true,
  },
  DetailsByCode: {
    type: 'object',
    description: 'Which members `details` have with which code. A code that is not known yet may have any.',
    allOf: codes.map(([code]) =>
      implies(
        { required: ['code'], properties: { code: { const: code } } },
        { properties: { details: { $ref: `#/components/schemas/${nameOf(code)}` } } },
      ),
    ),
  },
  ...Object.fromEntries(codes.map(([code, details]) => [nameOf(code), detailsOf(code, details)])),
  Issue: {
    type: 'object',
    description: 'One thing that is wrong with a request.',
    required: ['path', 'rule', 'message'],
    properties: {
      path: {
        type: 'string',
        description: 'A JSON pointer into the body, or `query:<name>`, `header:<name>`.',
        examples: ['/contactData/emails/0/value', 'query:limit'],
      },
      rule: { type: 'string', examples: ['format'] },
      message: { type: 'string', examples: ['Not a valid email'] },
    },
  },
}

/** `if` and `then` of JSON Schema. In a literal the second would make it something to wait for. */
function implies(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  const keywords = new Map([
    ['if', condition],
    ['then', consequence],
  ])
  return Object.fromEntries(keywords)
}

function detailsOf(code: string, { always = [], members }: (typeof errorDetails)[ErrorCode]): JsonSchema {
  return {
    type: 'object',
    description: `\`details\` of \`${code}\`.${Object.keys(members).length === 0 ? ' Nothing more is said.' : ''}`,
    ...(always.length === 0 ? {} : { required: always }),
    properties: members,
  }
}

/** One type for all details, which clients in languages without unions read; the code says which members to look for. */
function membersOfAll(): Record<string, JsonSchema> {
  const all: Record<string, JsonSchema> = {}
  for (const [code, { members }] of codes) {
    for (const [name, { description, ...schema }] of Object.entries(members)) {
      const { description: before, ...known } = all[name] ?? schema
      const told = `\`${code}\`: ${String(description)}`
      all[name] = { ...widest(known, schema), description: sentences(textOf(before), told) }
    }
  }
  return all
}

/** Of two forms of one member that which takes null too. */
function widest(one: JsonSchema, other: JsonSchema): JsonSchema {
  return Array.isArray(other.type) ? other : one
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** `VersionConflictDetails` */
function nameOf(code: string): string {
  const words = code.split('_').map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Details`
}
