import { limits, tagSchema } from '../../kernel/index.ts'
import {
  customFieldTypes,
  listSchema as list,
  objectSchema as object,
  optionalUuidSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'

const text = (example: string) => ({ type: 'string', example })
const boolean = (example: boolean) => ({ type: 'boolean', example })
const integer = (example: number) => ({ type: 'integer', minimum: 0, example })
const rate = (methods: readonly string[], limit: number) => ({
  ...object('RateLimit', {
    methods: { type: 'array', items: { type: 'string' } },
    limit: integer(600),
    windowSeconds: integer(60),
    key: text('application'),
  }),
  example: { methods, limit, windowSeconds: 60, key: 'application' },
})
const failedAuthentication = object('FailedAuthenticationLimit', {
  limit: integer(30),
  windowSeconds: integer(60),
  key: text('ip'),
})

const directories = object(
  'Directories',
  {
    pipelines: list(
      object('Pipeline', {
        id: uuidSchema,
        name: text('Sales'),
        isDefault: boolean(true),
        lostReasonRequired: boolean(true),
        stages: list(
          object('PipelineStage', {
            uuid: uuidSchema,
            name: text('New'),
            type: { component: 'PipelineStageType', type: 'string', enum: ['open', 'won', 'lost'] },
            position: integer(0),
          }),
          'In order of position, archived ones left out.',
        ),
      }),
    ),
    lostReasonCategories: list(
      object('LostReasonCategory', { uuid: uuidSchema, name: text('Price'), pipelineId: optionalUuidSchema }),
    ),
    tags: list(tagSchema, 'Absent without `crm_tags_read`.'),
    customFields: list(
      object('CustomFieldDefinition', {
        kind: text('contact'),
        key: text('region'),
        label: text('Region'),
        type: { component: 'CustomFieldType', type: 'string', enum: customFieldTypes },
        options: list(object('CustomFieldOption', { key: text('north'), label: text('North') })),
        required: boolean(false),
      }),
      'Absent without `crm_custom_fields_read`.',
    ),
    operators: list(
      object('DirectoryOperator', { uuid: uuidSchema, name: text('Olga Smirnova'), isActive: boolean(true) }),
      'Absent without `crm_operators_read`.',
    ),
    truncated: list({ type: 'string' }, 'Names of directories with more than 1,000 entries.'),
  },
  ['tags', 'customFields', 'operators'],
)

/** JSON Schema of what `/capabilities` answers. */
export const capabilitiesSchema = object('Capabilities', {
  apiVersion: text('v1'),
  crmProvider: text('built_in'),
  organization: object('OrganizationSettings', {
    id: uuidSchema,
    name: text('Northwind Traders'),
    timeZone: text('Europe/Berlin'),
    defaultCurrency: text('EUR'),
    currencies: { type: 'array', items: { type: 'string' }, example: ['EUR', 'USD'] },
    locale: text('en'),
    country: {
      ...text('DE'),
      description: 'The country of phone numbers without a country code, by ISO 3166-1 alpha-2.',
    },
  }),
  application: object('CallingApplication', { id: uuidSchema, name: text('ERP') }),
  token: object('CallingToken', {
    id: text('4fK2mQ9xT7bZ'),
    expiresAt: { type: ['string', 'null'], format: 'date-time' },
    scopes: { type: 'array', items: { type: 'string' }, example: ['crm_contacts_read', 'crm_contacts_write'] },
    cidrAllowlist: { type: 'boolean', description: 'Whether the token works from some networks alone.' },
  }),
  rateLimits: object('RateLimits', {
    read: rate(['GET', 'HEAD'], 600),
    write: rate(['POST', 'PATCH', 'PUT', 'DELETE'], 120),
    failedAuthentication,
  }),
  limits: object(
    'EnforcedLimits',
    Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, integer(value)])),
  ),
  storage: object('FileStorage', {
    quotaBytes: {
      ...integer(42_949_672_960),
      description:
        'How many bytes all files of the organization may have: attachments, imports, exports and knowledge bases.',
    },
    usedBytes: { ...integer(482_130), description: 'How many bytes they have.' },
  }),
  features: {
    component: 'ServerFeatures',
    type: 'object',
    description: 'Which parts of the API this server has.',
    additionalProperties: { type: 'boolean' },
    example: { deals: true, imports: false },
  },
  directories,
})
