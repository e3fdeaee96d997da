import { cabinetPath } from '../../conventions.ts'
import { malformed, Refusal } from '../../errors/index.ts'
import { bounds } from '../../limits/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import { mayRead } from '../../redact/index.ts'
import {
  booleanSchema,
  type Configuration,
  type CustomFieldDefinition,
  countSchema,
  customFieldParameter,
  type JsonSchema,
  listSchema,
  objectSchema,
} from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { type Row, statement } from '../../sql/index.ts'
import { readScopes } from '../ability.ts'
import { scopesOfFilter, selectionScopes } from '../list-parameters.ts'
import { facetText } from './count-statements.ts'
import { countedSelection, filterParameters } from './counted-selection.ts'
import { facetNames, facetValue } from './facet-values.ts'

/**
 * `GET …/facets/<kind>`: how many of the newest records have each value of one filter. Without few records by another filter it looks at
 * the newest `bounds.facetRecords`.
 */
export function facet(resource: Resource): Operation {
  const names = facetNames(resource)
  const { customFields } = resource.roles
  const hasCustom = customFields !== undefined
  const isName = (text: string) => names.includes(text) || (hasCustom && customFieldParameter.test(text))
  return defineOperation({
    id: `facets.${resource.plural}`,
    method: 'GET',
    path: cabinetPath(`/facets/${resource.plural}`),
    summary: `Count ${resource.plural} by a value`,
    description: `Takes the filters of the list, and looks at the newest ${bounds.facetRecords.most}.`,
    scopes: readScopes(resource),
    scopesOf: query => [
      ...selectionScopes(resource, query),
      ...(typeof query.by === 'string' ? scopesOfFilter(resource, query.by) : []),
    ],
    query: {
      ...filterParameters(resource),
      by: {
        schema: { type: 'string', example: names[0] },
        required: true,
        description: `The filter whose values are counted: ${names.join(', ')}${hasCustom ? ', customField.<key>' : ''}`,
        parse: text => (isName(text) ? text : undefined),
      },
    },
    answer: { data: facetSchema },
    async execute(request, services) {
      const by = String(request.query.by)
      const configuration = await services.configurations.recent(request.reader)
      const definitions = configuration.customFields.get(resource.kind) ?? []
      const value = facetValue(resource, by, definitions)
      if (value === null)
        return malformed([{ path: 'query:by', rule: 'custom_field', message: 'No such custom field with few values' }])
      const selected = await countedSelection(resource, request, services)
      if (selected instanceof Refusal) return selected
      const { selection, few } = selected
      const looks = bounds.facetRecords.most
      const rows = await selected.ask('facet', bind =>
        facetText(resource, selection, few, { value: value(bind), looks, bind }),
      )
      const label = await labels(rows, request, services, configuration, definitionOf(by, definitions))
      const values = rows.flatMap(({ value: found, count }) =>
        count === null ? [] : [{ value: found, label: label(found), count }],
      )
      const [{ among = 0, looked = 0 } = {}] = rows
      return { status: 200, data: { values, among, isExact: few !== null || Number(looked) < looks }, meta: {} }
    },
  })
}

function definitionOf(by: string, definitions: readonly CustomFieldDefinition[]): CustomFieldDefinition | undefined {
  const key = customFieldParameter.exec(by)?.[1]
  return definitions.find(each => each.key === key)
}

// $1 organization, $2 ids.
const selectTagNames = statement(
  'select_names_of_tags',
  `select g.id, g.name
     from unnest($2::uuid[]) as wanted(id)
    cross join lateral (
      select x.id, x.name from tags x where x.organization_id = $1 and x.id = wanted.id offset 0) as g`,
)

const uuid = /^[0-9a-f]{8}-/u

/** The names of values: of settings, and of options of a custom field. null for a word, and for what the caller may not read. */
async function labels(
  rows: readonly Row[],
  { caller, reader }: Request,
  { database }: Services,
  { operators, pipelines, stages }: Configuration,
  definition: CustomFieldDefinition | undefined,
): Promise<(value: unknown) => string | null> {
  const names = new Map<unknown, string>(definition?.options.map(({ key, label }) => [key, label]))
  for (const { id, name } of pipelines) names.set(id, name)
  for (const { uuid: id, name } of stages.values()) names.set(id, name)
  if (mayRead('operators', caller.scopes)) for (const { uuid: id, name } of operators.values()) names.set(id, name)
  const others = rows.flatMap(({ value }) =>
    typeof value === 'string' && uuid.test(value) && !names.has(value) ? [value] : [],
  )
  if (others.length > 0 && mayRead('tags', caller.scopes)) {
    const tags = await database.query(selectTagNames, [caller.organization.id, others], reader)
    for (const { id, name } of tags) names.set(id, String(name))
  }
  return value => names.get(value) ?? null
}

const facetSchema: JsonSchema = objectSchema('RecordFacet', {
  values: {
    ...listSchema(
      objectSchema('FacetValue', {
        value: {
          type: ['string', 'null'],
          description: 'As the filter takes it; null: records without a value.',
          example: 'open',
        },
        label: {
          type: ['string', 'null'],
          description: 'The name of what has this id; null for a word.',
          example: null,
        },
        count: countSchema('How many records have it.'),
      }),
    ),
    description: 'The most frequent first.',
  },
  among: countSchema('In how many records the values were counted.'),
  isExact: booleanSchema('Whether these are all records that the filters choose, and not only the newest.', true),
})
