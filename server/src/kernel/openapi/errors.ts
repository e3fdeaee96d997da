import type { ApiErrorCode, CatalogueEntry } from '../errors/index.ts'
import { type JsonSchema, uuidSchema } from '../schema/index.ts'
import { errorDetails } from './error-details.ts'
import { catalogue, explained } from './error-table.ts'

const schemaPrefix = '#/components/schemas/'
/** Where the reference explains all codes, below the heading in `introduction`. Relative to the server. */
const externalDocs = { description: 'All error codes', url: 'reference#description/errors' }

/** Codes that an element of a batch can be refused with: those of single requests from gate 7 on. */
const codesOfElements: readonly ApiErrorCode[] = [
  'validation_error',
  'insufficient_scope',
  'not_found',
  'external_reference_deleted',
  'resource_deleted',
  'precondition_required',
  'version_conflict',
  'external_id_conflict',
]

const allCodes = catalogue.map(([each]) => each)
const code = { component: 'ErrorCode', type: 'string', enum: allCodes }
const message = { type: 'string', description: 'What went wrong, for people; the wording may change.' }
const requestId = { ...uuidSchema, description: 'Names the request in the logs of the server.' }

/** The components that describe failures: one for each code, with its details. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  ErrorAnswer: {
    type: 'object',
    description: 'The envelope of every failure.',
    required: ['error'],
    properties: { error: { $ref: `${schemaPrefix}Failure` } },
  },
  StatusErrorAnswer: {
    type: 'object',
    description: 'The envelope of every failure of channels and AI agents.',
    required: ['status', 'error'],
    properties: {
      status: { type: 'string', const: 'ERROR', description: 'Always ERROR.' },
      error: { $ref: `${schemaPrefix}Failure` },
    },
  },
  Failure: {
    ...oneOfCodes(allCodes, { requestId }),
    description: 'What every failure says. Its `code` tells which one it is, and so what `details` there are.',
  },
  ElementFailure: {
    ...oneOfCodes(codesOfElements, {}),
    description: 'Why an element of a batch was refused, as the single request would have been.',
  },
  ...Object.fromEntries(catalogue.map(([code, entry]) => [failureName(code), failureOf(code, entry)])),
  ...Object.fromEntries(
    Object.entries(errorDetails).map(([code, details]) => [detailsName(code), detailsOf(code, details)]),
  ),
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
      rule: { type: 'string', description: 'Which rule it breaks, for programs.', examples: ['format'] },
      message: { type: 'string', description: 'The same for people.', examples: ['Not a valid email'] },
    },
  },
}

/** A union of the failures with these codes. Their common members are also beside the union, for generators that do not support unions. */
function oneOfCodes(possible: readonly string[], further: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const refs = possible.map(code => [code, `${schemaPrefix}${failureName(code)}`] as const)
  const details = { type: 'object', additionalProperties: true, description: 'What more there is to say.' }
  const properties = { code: { ...code, description: 'What went wrong, for programs.' }, message, details, ...further }
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'code', mapping: Object.fromEntries(refs) },
  }
}

function failureOf(code: string, entry: CatalogueEntry): JsonSchema {
  const details = { $ref: `${schemaPrefix}${detailsName(code)}` }
  return {
    type: 'object',
    description: `\`${code}\`: ${explained(entry)}`,
    externalDocs,
    required: ['code', 'message', 'details'],
    properties: { code: { const: code, description: 'What went wrong, for programs.' }, message, details, requestId },
  }
}

function detailsOf(code: string, { always = [], members }: (typeof errorDetails)[ApiErrorCode]): JsonSchema {
  return {
    type: 'object',
    description: `\`details\` of \`${code}\`.${Object.keys(members).length === 0 ? ' Nothing more is said.' : ''}`,
    ...(always.length === 0 ? {} : { required: always }),
    properties: members,
  }
}

/** `VersionConflictFailure` */
function failureName(code: string): string {
  return `${inOneWord(code)}Failure`
}

function detailsName(code: string): string {
  return `${inOneWord(code)}Details`
}

function inOneWord(code: string): string {
  return code
    .split('_')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
