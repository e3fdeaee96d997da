import { delimiters, encodingNamed } from '../../kernel/documents/index.ts'
import type { Issue } from '../../kernel/index.ts'
import {
  compileSchema,
  isObject,
  listSchema,
  objectSchema,
  optionalTextSchema,
  wordSchema,
} from '../../kernel/schema/index.ts'
import { dateFormats } from './cells/date-order.ts'
import { detectedTypes } from './reading/detected-type.ts'
import { mostHeaderRow } from './reading/suggest-header-row.ts'
import { warningCodes } from './reading/warnings.ts'
import { optionSchemas } from './start-options.ts'

// A pattern, not a list of values, because generators of clients fail at a value that is a tab.
const delimiterForm = {
  minLength: 1,
  maxLength: 1,
  pattern: `^[${delimiters.join('').replace('\t', '\\t')}]$`,
  example: ';',
}
const delimiter = { type: 'string', ...delimiterForm }

const schema = {
  type: 'object',
  properties: {
    delimiter: {
      ...delimiter,
      description:
        'What divides the cells of a text table, if it is not found out: a comma, a semicolon, a tab or a vertical bar.',
    },
    encoding: {
      component: 'ImportEncoding',
      type: 'string',
      example: 'windows-1250',
      description:
        'The encoding of a text table, if it is not found out: a label of the WHATWG Encoding Standard, a code page of DOS such as ' +
        '`ibm850`, `iso-8859-16` or `x-mac-ce`.',
    },
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
  parse: (body: unknown) => ({
    value: body,
    issues: body === undefined ? [] : [...check(body, ''), ...unknownEncoding(body)],
  }),
}

function unknownEncoding(body: unknown): Issue[] {
  const { encoding } = isObject(body) ? body : {}
  if (typeof encoding !== 'string' || encodingNamed(encoding) !== null) return []
  const message =
    'Unknown: send a label of the WHATWG Encoding Standard, such as windows-1250 or shift_jis, or of a code page of DOS, such as ibm850'
  return [{ path: '/encoding', rule: 'encoding', message }]
}

const option = objectSchema('ImportFieldOption', {
  key: { type: 'string', description: 'The value that a cell may have.' },
  label: { type: 'string', description: 'What people call it; a cell may have this, too.' },
})

/** JSON Schema of the response of a preview. */
export const previewSchema = objectSchema('ImportPreviewResult', {
  columns: {
    type: 'array',
    description: 'The columns of the file, in their order.',
    items: objectSchema('ImportColumn', {
      index: { type: 'integer', minimum: 0, description: 'The number of the column, from 0.' },
      name: { type: 'string', description: 'Empty where it looks like contact data that the token may not read.' },
      samples: listSchema(
        { type: 'string' },
        'The first values that are not blank, without those that the token may not read.',
      ),
      detectedType: wordSchema('ImportDetectedType', detectedTypes, 'What the values look like.'),
      suggestedField: optionalTextSchema('The field that the column seems to be for.', 'email1'),
      suggestedDateFormat: {
        component: 'ImportSuggestedDateFormat',
        type: ['string', 'null'],
        enum: [...dateFormats, null],
        description: 'The order of day, month and year in its dates; null without dates, and where it is open.',
      },
    }),
  },
  fields: listSchema(
    objectSchema('ImportField', {
      key: { type: 'string', description: 'Its name in `mapping` and `defaults`.', example: 'email1' },
      label: { type: 'string', description: 'What people call it.', example: 'Email 1' },
      type: { type: 'string', description: 'The form of its values.', example: 'email' },
      required: { type: 'boolean', description: 'Whether a row that creates a record needs it.' },
      options: { type: ['array', 'null'], items: option, description: 'What the field can be; null for any value.' },
      guard: { type: ['string', 'null'], description: 'The scope that a mapping of this field needs.' },
    }),
    'The fields that this token can map; those that need a scope that it lacks are left out.',
  ),
  rowCount: { type: 'integer', minimum: 0, description: 'How many rows the file has below the names of its columns.' },
  encoding: {
    component: 'ImportedEncoding',
    type: ['string', 'null'],
    example: 'windows-1252',
    description:
      'The name of the encoding in the WHATWG Encoding Standard, or that of another one that a request can set; null for a workbook.',
  },
  delimiter: {
    type: ['string', 'null'],
    ...delimiterForm,
    description: 'A comma, a semicolon, a tab or a vertical bar; null for a workbook.',
  },
  suggestedHeaderRow: {
    type: ['integer', 'null'],
    minimum: 2,
    maximum: mostHeaderRow,
    description: 'The line that seems to have the names of the columns, below a title: what to set as `headerRow`.',
    example: 3,
  },
  sheets: { type: 'array', items: { type: 'string' }, description: 'The sheets of a workbook that can be seen.' },
  missingCompanies: {
    ...objectSchema('ImportMissingCompanies', {
      named: { type: 'integer', minimum: 0, description: 'Different companies in the column, 5,000 at most.' },
      missing: { type: 'integer', minimum: 0, description: 'Those that do not exist.' },
      suggested: {
        ...optionSchemas.missingCompany,
        description: 'The `missingCompany` of the start that fits: to create them, if the token may write companies.',
      },
    }),
    type: ['object', 'null'],
    description:
      'The companies in the column that seems to name the company of a contact; null if there is none, or the token may ' +
      'not read companies.',
  },
  warnings: {
    type: 'array',
    description: 'What is unusual about the file, and may be wrong.',
    items: objectSchema('ImportWarning', {
      code: wordSchema('ImportWarningCode', warningCodes, 'What it is, for programs.'),
      message: { type: 'string', description: 'The same for people.' },
      column: { type: ['integer', 'null'], minimum: 0, description: 'The number of the column.' },
      example: optionalTextSchema(
        'A value of the column that shows it; null if there is none, or the token may not read it.',
      ),
    }),
  },
})
