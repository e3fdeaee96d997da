import {
  booleanSchema,
  countSchema,
  type JsonSchema,
  listSchema,
  objectSchema,
  optionalTextSchema,
  optionalUuidSchema,
  sumPattern,
  textSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'

const optional = (type: object, description: string) => ({ ...type, description })
const amount = { type: ['string', 'null'], pattern: sumPattern, example: '1500.00' }

const cardSchema = objectSchema(
  'BoardCard',
  {
    id: uuidSchema,
    version: { type: 'integer', minimum: 1, description: 'The version that a move is made on top of.' },
    place: countSchema('The place among all deals of the stage, from 0: `position` of a move.', 0),
    title: textSchema('The title.', 'Two hundred chairs'),
    amount: optional(amount, 'In the currency; null: none.'),
    currency: optionalTextSchema('ISO 4217 code; null: the currency of the organization.', 'USD'),
    priority: optionalTextSchema('How important the deal is.', 'high'),
    ownerUuid: optional(optionalUuidSchema, 'The operator who runs the deal.'),
    expectedCloseDate: { type: ['string', 'null'], format: 'date', description: 'When it is likely to be closed.' },
    stageUuid: uuidSchema,
    status: textSchema('Follows from the type of the stage.', 'open'),
    lostReasonCategoryUuid: optional(optionalUuidSchema, 'Why it was lost.'),
    lostReasonComment: optionalTextSchema('More on why it was lost.'),
    stageChangedAt: { type: 'string', format: 'date-time', description: 'Since when it is in the stage.' },
    company: {
      anyOf: [
        objectSchema('BoardCompany', { id: uuidSchema, name: textSchema('Its name.', 'Northwind') }),
        { type: 'null' },
      ],
      description: 'The primary company; null: there is none, or the caller may not read it.',
    },
  },
  ['amount'],
)

/** What the board of deals answers. */
export const boardSchema: JsonSchema = objectSchema('DealBoard', {
  pipelineId: uuidSchema,
  stages: listSchema(
    objectSchema(
      'BoardStage',
      {
        stageUuid: uuidSchema,
        count: countSchema('How many deals were counted.', 12),
        isExact: booleanSchema('Whether these are all.', true),
        sums: listSchema(
          objectSchema('BoardSum', { currency: textSchema('ISO 4217 code.', 'USD'), amount }),
          'What the counted deals amount to by currency.',
        ),
        cards: listSchema(cardSchema, 'The first ones, in the order of the stage.'),
      },
      ['sums'],
    ),
    'In their order.',
  ),
})
