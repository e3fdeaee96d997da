import { delimiters, encodings } from '../../kernel/documents/index.ts'
import { compileSchema, objectSchema } from '../../kernel/schema/index.ts'
import { detectedTypes } from './reading/detected-type.ts'
import { warningCodes } from './reading/survey.ts'

const mostHeaderRow = 100
// A pattern, not a list of values, because generators of clients fail at a value that is a tab.
const delimiterForm = {
  minLength: 1,
  maxLength: 1,
  pattern: `^[${delimiters.join('').replace('\t', '\\t')}]$`,
  example: ';',
}
const delimiter = { type: 'string', ...delimiterForm }
const encoding = { component: 'ImportEncoding', type: 'string', enum: encodings, example: 'utf-8' }

const schema = {
  type: 'object',
  properties: {
    delimiter: {
      ...delimiter,
      description:
        'What divides the cells of a text table, if it is not found out: a comma, a semicolon, a tab or a vertical bar.',
    },
    encoding: { ...encoding, description: 'The encoding of a text table, if it is not found out.' },
    sheetName: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: 'The sheet of a workbook; the first one unless given.',
    },
    headerRow: {
      type: 'integer',
      minimum: 1,
      maximum: mostHeaderRow,
      default: 1,
      description:
        'The line with the names of the columns; blank lines are passed over. Any line but the first needs the scope to read the ' +
        'records (403).',
    },
    sampleSize: {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 5,
      description: 'Values that are shown of a column.',
    },
  },
  additionalProperties: false,
}

const check = compileSchema(schema)

/** The body of `POST /imports/:id/preview`. */
export const previewBody = {
  name: 'ImportPreview',
  schema,
  required: false,
  parse: (body: unknown) => ({ value: body, issues: body === undefined ? [] : check(body, '') }),
}

const option = {
  component: 'ImportFieldOption',
  type: 'object',
  required: ['key', 'label'],
  properties: {
    key: { type: 'string', description: 'The value that a cell may have.' },
    label: { type: 'string', description: 'What people call it; a cell may have this, too.' },
  },
}

/** JSON Schema of the response of a preview. */
export const previewSchema = objectSchema('ImportPreviewResult', {
  columns: {
    type: 'array',
    description: 'The columns of the file, in their order.',
    items: objectSchema('ImportColumn', {
      index: { type: 'integer', minimum: 0, description: 'The number of the column, from 0.' },
      name: { type: 'string', description: 'Empty where it looks like contact data that the token may not read.' },
      samples: {
        type: 'array',
        items: { type: 'string' },
        description: 'The first values that are not blank, without those that the token may not read.',
      },
      detectedType: {
        component: 'ImportDetectedType',
        type: 'string',
        enum: detectedTypes,
        description: 'What the values look like.',
      },
      suggestedField: {
        type: ['string', 'null'],
        description: 'The field that the column seems to be for.',
        example: 'email1',
      },
    }),
  },
  fields: {
    type: 'array',
    items: objectSchema('ImportField', {
      key: { type: 'string', description: 'Its name in `mapping` and `defaults`.', example: 'email1' },
      label: { type: 'string', description: 'What people call it.', example: 'Email 1' },
      type: { type: 'string', description: 'The form of its values.', example: 'email' },
      required: { type: 'boolean', description: 'Whether a row that creates a record needs it.' },
      options: { type: ['array', 'null'], items: option, description: 'What the field can be; null for any value.' },
      guard: { type: ['string', 'null'], description: 'The scope that a mapping of this field needs.' },
    }),
    description: 'The fields that this token can map; those that need a scope that it lacks are left out.',
  },
  rowCount: { type: 'integer', minimum: 0, description: 'How many rows the file has below the names of its columns.' },
  encoding: {
    component: 'ImportedEncoding',
    type: ['string', 'null'],
    enum: [...encodings, null],
    description: 'null for a workbook.',
  },
  delimiter: {
    type: ['string', 'null'],
    ...delimiterForm,
    description: 'A comma, a semicolon, a tab or a vertical bar; null for a workbook.',
  },
  sheets: { type: 'array', items: { type: 'string' }, description: 'The sheets of a workbook that can be seen.' },
  warnings: {
    type: 'array',
    description: 'What is unusual about the file, and may be wrong.',
    items: objectSchema('ImportWarning', {
      code: {
        component: 'ImportWarningCode',
        type: 'string',
        enum: warningCodes,
        description: 'What it is, for programs.',
      },
      message: { type: 'string', description: 'The same for people.' },
      column: { type: ['integer', 'null'], minimum: 0, description: 'The number of the column.' },
    }),
  },
})
