import { limits, tagSchema } from '../../kernel/index.ts'
import {
  customFieldTypes,
  listSchema as list,
  objectSchema as object,
  optionalUuidSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'

const text = (example: string, description: string) => ({ type: 'string', example, description })
const name = { type: 'string' }
const boolean = (example: boolean, description: string) => ({ type: 'boolean', example, description })
const integer = (example: number, description: string) => ({ type: 'integer', minimum: 0, example, description })
const rateMembers = {
  limit: integer(600, 'How many requests a window allows.'),
  windowSeconds: integer(60, 'How many seconds a window has.'),
}
const rate = (methods: readonly string[], limit: number, description: string) => ({
  ...object('RateLimit', {
    methods: { type: 'array', items: { type: 'string' }, description: 'The methods of the requests that count.' },
    ...rateMembers,
    key: text('application', 'What has a count of its own.'),
  }),
  description,
  example: { methods, limit, windowSeconds: 60, key: 'application' },
})
const failedAuthentication = object('FailedAuthenticationLimit', {
  ...rateMembers,
  key: text('ip', 'What has a count of its own.'),
})

const directories = object(
  'Directories',
  {
    pipelines: list(
      object('Pipeline', {
        id: uuidSchema,
        name: { ...name, example: 'Sales' },
        isDefault: boolean(true, 'Whether a deal that names no pipeline goes there.'),
        lostReasonRequired: boolean(true, 'Whether a lost deal needs a reason.'),
        stages: list(
          object('PipelineStage', {
            uuid: { ...uuidSchema, description: 'The stage, as `stageUuid` of a deal.' },
            name: { ...name, example: 'New' },
            type: {
              component: 'PipelineStageType',
              type: 'string',
              enum: ['open', 'won', 'lost'],
              description: 'The status that a deal has there.',
            },
            position: integer(0, 'Its place in the pipeline, from 0.'),
          }),
          'In order of position, archived ones left out.',
        ),
      }),
      'The ways that deals take, and their stages.',
    ),
    lostReasonCategories: list(
      object('LostReasonCategory', {
        uuid: { ...uuidSchema, description: 'The reason, as `lostReasonCategoryUuid` of a deal.' },
        name: { ...name, example: 'Price' },
        pipelineId: { ...optionalUuidSchema, description: 'The pipeline that it is for; null: all.' },
      }),
      'Why deals are lost; those that are not active any more are left out.',
    ),
    tags: list(tagSchema, 'What records can be marked with. Absent without `crm_tags_read`.'),
    customFields: list(
      object('CustomFieldDefinition', {
        kind: text('contact', 'The kind of records that has it.'),
        key: text('region', 'Its name in `customFields` of a record.'),
        label: text('Region', 'What people call it.'),
        type: {
          component: 'CustomFieldType',
          type: 'string',
          enum: customFieldTypes,
          description: 'The form of its values.',
        },
        options: list(
          object('CustomFieldOption', {
            key: text('north', 'The value in a record.'),
            label: text('North', 'What people call it.'),
          }),
          'What a field of choices can be; empty for the others.',
        ),
        required: boolean(false, 'Whether a new record needs it.'),
      }),
      'Fields that the organization has added. Absent without `crm_custom_fields_read`.',
    ),
    operators: list(
      object('DirectoryOperator', {
        uuid: { ...uuidSchema, description: 'The operator, as `ownerUuid` and the like of a record.' },
        name: { ...name, example: 'Olga Smirnova' },
        isActive: boolean(true, 'Whether records can be given to the operator.'),
      }),
      'The users whom records can name. Absent without `crm_operators_read`.',
    ),
    truncated: list({ type: 'string' }, 'Names of directories with more than 1,000 entries.'),
  },
  ['tags', 'customFields', 'operators'],
)

const limitDescriptions: Readonly<Record<keyof typeof limits, string>> = {
  listDefault: 'The number of records on a page of a list, unless `limit` is given.',
  listMax: 'The highest `limit` of a list.',
  searchDefault: 'The number of hits on a page of the search, unless `limit` is given.',
  searchMax: 'The highest `limit` of the search.',
  searchQueryMin: 'The fewest characters of `q`.',
  searchQueryMax: 'The most characters of `q`.',
  filterValues: 'The most values of one filter of a list.',
  filteredCustomFields: 'The most custom fields by which one list is filtered.',
  productsDefault: 'The number of products on a page, unless `limit` is given.',
  productsMax: 'The highest `limit` of products.',
  batchItems: 'The most elements of a batch.',
  bulkTargets: 'The most targets of a bulk job.',
  bulkErrors: 'The most errors that a bulk job shows.',
  importFileBytes: 'The most bytes of a file to import.',
  importRows: 'The most rows of a file to import.',
  attachmentFiles: 'The most files that one request attaches.',
  attachmentFileBytes: 'The most bytes of a file that is attached.',
  knowledgeFileBytes: 'The most bytes of a file of a knowledge base.',
  jsonBodyBytes: 'The most bytes of a JSON body; batches and bulk jobs have a limit of their own.',
  batchBodyBytes: 'The most bytes of the body of a batch or bulk job.',
  exportLinkSeconds: 'How many seconds a link to the file of an export is good.',
  requestIdLength: 'The most characters of `X-Request-Id`.',
  externalIdLength: 'The most characters of an `externalId`.',
  contactSearchLength: 'The most characters of `search` of a list.',
  auditResourceTypeLength: 'The most characters of `resourceType` of the audit log.',
  auditActionLength: 'The most characters of `action` of the audit log.',
  idempotencyKeyLength: 'The most characters of an `Idempotency-Key`.',
  idempotencyRetentionSeconds: 'How many seconds the answer to an `Idempotency-Key` is kept.',
  changeRetentionSeconds: 'How many seconds the change feed keeps a change.',
}
const isLimit = (each: string): each is keyof typeof limits => each in limits
const enforcedLimits = object(
  'EnforcedLimits',
  Object.fromEntries(
    Object.keys(limits)
      .filter(isLimit)
      .map(each => [each, integer(limits[each], limitDescriptions[each])]),
  ),
)

/** JSON Schema of the response of `/capabilities`. */
export const capabilitiesSchema = object('Capabilities', {
  apiVersion: text('v1', 'The version of the API.'),
  crmProvider: text('built_in', 'Where the organization keeps its CRM data: `built_in` is this server.'),
  organization: {
    ...object('OrganizationSettings', {
      id: uuidSchema,
      name: { ...name, example: 'Northwind Traders' },
      timeZone: text('Europe/Berlin', 'The time zone in which days begin and tasks are due, by its IANA name.'),
      defaultCurrency: text('EUR', 'The currency of amounts that name none.'),
      currencies: {
        type: 'array',
        items: { type: 'string' },
        description: 'The currencies that deals and products can have.',
        example: ['EUR', 'USD'],
      },
      locale: text('en', 'The language of the organization, as a tag of BCP 47.'),
      country: text('DE', 'The country of phone numbers without a country code, by ISO 3166-1 alpha-2.'),
    }),
    description: 'The organization of the token.',
  },
  application: {
    ...object('CallingApplication', { id: uuidSchema, name: { ...name, example: 'ERP' } }),
    description: 'The application of the token.',
  },
  token: {
    ...object('CallingToken', {
      id: { type: 'string', example: '4fK2mQ9xT7bZ' },
      expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'When it ends; null: never.' },
      scopes: {
        type: 'array',
        items: { type: 'string' },
        description: 'What it may do.',
        example: ['crm_contacts_read', 'crm_contacts_write'],
      },
      cidrAllowlist: { type: 'boolean', description: 'Whether the token works from some networks alone.' },
    }),
    description: 'The token of the request.',
  },
  rateLimits: {
    ...object('RateLimits', {
      read: rate(['GET', 'HEAD'], 600, 'Reading requests of the application.'),
      write: rate(['POST', 'PATCH', 'PUT', 'DELETE'], 120, 'Writing requests of the application.'),
      failedAuthentication: {
        ...failedAuthentication,
        description: 'Requests from one address that fail to authenticate.',
      },
    }),
    description: 'How many requests there may be in a window of time.',
  },
  limits: { ...enforcedLimits, description: 'The limits of the API.' },
  storage: {
    ...object('FileStorage', {
      quotaBytes: integer(
        42_949_672_960,
        'How many bytes all files of the organization may have: attachments, imports, exports and knowledge bases.',
      ),
      usedBytes: integer(482_130, 'How many bytes they have.'),
    }),
    description: 'Room for files.',
  },
  features: {
    component: 'ServerFeatures',
    type: 'object',
    description: 'Which parts of the API this server has.',
    additionalProperties: { type: 'boolean' },
    example: { deals: true, imports: false },
  },
  directories: { ...directories, description: 'What records can name, as the organization has configured it.' },
})
