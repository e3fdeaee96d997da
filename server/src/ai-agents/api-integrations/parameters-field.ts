import { answeredMalformed, type Bounds, kibibyte } from '../../kernel/limits/index.ts'
import { codePoints, type Field, type Issue, wordSchema, wrongHeaderName } from '../../kernel/schema/index.ts'
import type { Parameter } from './api-integration.rules.ts'
import { parameterName } from './placeholders.rules.ts'

export const integrationBounds = {
  integrationParameters: {
    most: 64 * kibibyte,
    unit: 'bytes',
    of: 'the parameters of one API integration, as JSON',
    beyond: answeredMalformed,
  },
} as const satisfies Bounds

const { most } = integrationBounds.integrationParameters

const members = {
  name: {
    type: 'string',
    pattern: `^${parameterName}$`,
    description: 'Each name once; that of a parameter in a header is the name of the header.',
    example: 'orderNumber',
  },
  in: wordSchema(
    'ApiIntegrationPlace',
    ['path', 'query', 'header', 'body'],
    'A parameter of the path has a placeholder in `url`, as `{orderNumber}`; one of the query may have one.',
    'path',
  ),
  type: wordSchema('ApiIntegrationValueType', ['string', 'number', 'integer', 'boolean'], 'The form of the value.'),
  description: { type: 'string', minLength: 1, maxLength: 500, description: 'What the model reads.' },
}
const required = { type: 'boolean', description: 'Always true in a path; false elsewhere unless given.', example: true }
const mostCharacters = 100
// No type: generators of typed clients do not support values of several types.
const words = { description: `A value of the type; a text has at most ${mostCharacters} characters.`, example: 'en' }
const enumeration = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 50,
  items: words,
  description: 'The only values there are, each of the type.',
  example: null,
}

const parameter = {
  properties: { ...members, required, enum: enumeration },
  additionalProperties: false,
}

/** The parameters that a model may fill in: at most 30, which PATCH replaces as a whole. */
export const parameters: Field<readonly Parameter[]> = {
  column: 'jsonb',
  input: {
    type: 'array',
    maxItems: 30,
    items: { component: 'ApiIntegrationParameterInput', type: 'object', required: Object.keys(members), ...parameter },
  },
  output: { '': { type: 'array', items: { component: 'ApiIntegrationParameter', type: 'object', ...parameter } } },
  initial: [],
  description: 'What the model fills in. A request replaces the whole list.',
  example: [
    {
      name: 'orderNumber',
      in: 'path',
      type: 'string',
      description: 'The number of the order',
      required: true,
      enum: null,
    },
  ],
  inspect: (value, path) => {
    if (Buffer.byteLength(JSON.stringify(value)) > most) {
      const message = `All parameters together take at most ${most} bytes`
      return [{ path, rule: 'max_bytes', message }]
    }
    const listed = declaredParameters(value)
    return listed.flatMap((parameter, index) => wrongParameter(parameter, index, listed, `${path}/${index}`))
  },
  accept: declaredParameters,
}

/** The parameters of a validated request, with defaults for absent members. */
export function declaredParameters(value: unknown): Parameter[] {
  const listed: readonly Given[] = Array.isArray(value) ? value : []
  return listed.map(({ name, in: place, type, description, required = place === 'path', enum: values = null }) => ({
    name,
    in: place,
    type,
    description: description.normalize('NFC').trim(),
    required,
    enum: values,
  }))
}

type Given = Omit<Parameter, 'required' | 'enum'> & Partial<Pick<Parameter, 'required' | 'enum'>>

function wrongParameter(parameter: Parameter, index: number, listed: readonly Parameter[], path: string): Issue[] {
  const { name, in: place, type, description, required, enum: values } = parameter
  const issues: Issue[] = []
  const wrong = (member: string, rule: string, message: string) =>
    issues.push({ path: `${path}/${member}`, rule, message })
  const same = (other: Parameter) =>
    other.name === name || (isHeader(other) && isHeader(parameter) && other.name.toLowerCase() === name.toLowerCase())
  if (listed.findIndex(same) < index) wrong('name', 'unique', 'Another parameter has this name')
  const header = place === 'header' ? wrongHeaderName(name) : null
  if (header !== null) wrong('name', 'header', header)
  if (description === '') wrong('description', 'required', 'This is required: a model reads it')
  if (place === 'path' && !required) wrong('required', 'path', 'A parameter of the path is always required')
  for (const [at, each] of (values ?? []).entries()) {
    if (!isOfType(each, type)) wrong(`enum/${at}`, 'type', `A value of the type ${type} is expected`)
    else if (typeof each === 'string' && codePoints(each) > mostCharacters)
      wrong(`enum/${at}`, 'maxLength', `At most ${mostCharacters} characters are expected`)
  }
  if (values !== null && new Set(values).size < values.length) wrong('enum', 'unique', 'A value is listed twice')
  return issues
}

const isHeader = ({ in: place }: Parameter) => place === 'header'

/** Whether a value has the type of a parameter. */
export function isOfType(value: unknown, type: Parameter['type']): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  return type === 'number' ? Number.isFinite(value) : typeof value === type
}
