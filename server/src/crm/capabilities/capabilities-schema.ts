import { limits, tagSchema } from '../../kernel/index.ts'
import {
  booleanSchema,
  countSchema,
  customFieldTypes,
  listSchema as list,
  objectSchema as object,
  optionalUuidSchema,
  textSchema,
  uuidSchema,
  wordSchema,
} from '../../kernel/schema/index.ts'

const name = { type: 'string' }
const rateMembers = {
  limit: countSchema('How many requests a window allows.', 600),
  windowSeconds: countSchema('How many seconds a window has.', 60),
}
const rate = (methods: readonly string[], limit: number, description: string) => ({
  ...object('RateLimit', {
    methods: { type: 'array', items: { type: 'string' }, description: 'The methods of the requests that count.' },
    ...rateMembers,
    key: textSchema('What has a count of its own.', 'application'),
  }),
  description,
  example: { methods, limit, windowSeconds: 60, key: 'application' },
})
const failedAuthentication = object('FailedAuthenticationLimit', {
  ...rateMembers,
  key: textSchema('What has a count of its own.', 'ip'),
})

const directories = object(
  'Directories',
  {
    pipelines: list(
      object('Pipeline', {
        id: uuidSchema,
        name: { ...name, example: 'Sales' },
        isDefault: booleanSchema('Whether a deal that names no pipeline goes there.', true),
        lostReasonRequired: booleanSchema('Whether a lost deal needs a reason.', true),
        stages: list(
          object('PipelineStage', {
            uuid: { ...uuidSchema, description: 'The stage, as `stageUuid` of a deal.' },
            name: { ...name, example: 'New' },
            type: wordSchema('PipelineStageType', ['open', 'won', 'lost'], 'The status that a deal has there.'),
            position: countSchema('Its place in the pipeline, from 0.', 0),
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
        kind: textSchema('The kind of records that has it.', 'contact'),
        key: textSchema('Its name in `customFields` of a record.', 'region'),
        label: textSchema('What people call it.', 'Region'),
        type: wordSchema('CustomFieldType', customFieldTypes, 'The form of its values.'),
        options: list(
          object('CustomFieldOption', {
            key: textSchema('The value in a record.', 'north'),
            label: textSchema('What people call it.', 'North'),
          }),
          'What a field of choices can be; empty for the others.',
        ),
        required: booleanSchema('Whether a new record needs it.', false),
      }),
      'Fields that the organization has added. Absent without `crm_custom_fields_read`.',
    ),
    operators: list(
      object('DirectoryOperator', {
        uuid: { ...uuidSchema, description: 'The operator, as `ownerUuid` and the like of a record.' },
        name: { ...name, example: 'Olga Smirnova' },
        isActive: booleanSchema('Whether records can be given to the operator.', true),
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
      .map(each => [each, countSchema(limitDescriptions[each], limits[each])]),
  ),
)

/** JSON Schema of the response of `/capabilities`. */
export const capabilitiesSchema = object('Capabilities', {
  apiVersion: textSchema('The version of the API.', 'v1'),
  crmProvider: textSchema('Where the organization keeps its CRM data: `built_in` is this server.', 'built_in'),
  organization: {
    ...object('OrganizationSettings', {
      id: uuidSchema,
      name: { ...name, example: 'Northwind Traders' },
      timeZone: textSchema('The time zone in which days begin and tasks are due, by its IANA name.', 'Europe/Berlin'),
      defaultCurrency: textSchema('The currency of amounts that name none.', 'EUR'),
      currencies: list({ type: 'string' }, 'The currencies that deals and products can have.', ['EUR', 'USD']),
      locale: textSchema('The language of the organization, as a tag of BCP 47.', 'en'),
      country: textSchema('The country of phone numbers without a country code, by ISO 3166-1 alpha-2.', 'DE'),
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
      scopes: list({ type: 'string' }, 'What it may do.', ['crm_contacts_read', 'crm_contacts_write']),
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
      quotaBytes: countSchema(
        'How many bytes all files of the organization may have: attachments, imports, exports and knowledge bases.',
        42_949_672_960,
      ),
      usedBytes: countSchema('How many bytes they have.', 482_130),
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
