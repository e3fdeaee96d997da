import { SingleFlight } from '../admission/single-flight.ts'
import { unattended } from '../auth/actor.ts'
import { bounds } from '../limits/index.ts'
import type {
  Configuration,
  CustomFieldDefinition,
  LostReason,
  Operator,
  OrganizationSettings,
  Pipeline,
  Stage,
} from '../schema/index.ts'
import { type Database, type Reader, statement } from '../sql/index.ts'

// `directory_version` is the version of the configuration. One statement reads one snapshot, so the version and the parts are consistent.
const loadConfiguration = statement(
  'load_configuration',
  `select o.directory_version as version,
          json_build_object('id', o.id, 'name', o.name, 'timeZone', o.time_zone, 'defaultCurrency', o.default_currency,
            'currencies', o.currencies, 'locale', o.locale, 'country', o.country, 'crmProvider', o.crm_provider
          ) as organization,
          o.read_only,
          (select coalesce(json_agg(json_build_object('uuid', p.id, 'name', p.name, 'isActive', p.active) order by p.name, p.id), '[]')
             from operators p where p.organization_id = o.id) as operators,
          (select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'isDefault', p.is_default,
                    'lostReasonRequired', p.lost_reason_required) order by p.position, p.id), '[]')
             from pipelines p where p.organization_id = o.id) as pipelines,
          (select coalesce(json_agg(json_build_object('uuid', s.id, 'pipelineId', s.pipeline_id, 'name', s.name,
                    'type', s.type, 'position', s.position, 'archived', s.archived) order by s.position, s.id), '[]')
             from stages s where s.organization_id = o.id) as stages,
          (select coalesce(json_agg(json_build_object('uuid', l.id, 'name', l.name, 'pipelineId', l.pipeline_id,
                    'active', l.active) order by l.position, l.id), '[]')
             from lost_reason_categories l where l.organization_id = o.id) as lost_reasons,
          (select coalesce(json_agg(json_build_object('kind', f.kind, 'key', f.key, 'label', f.label, 'type', f.type,
                    'options', f.options, 'required', f.required) order by f.position, f.key), '[]')
             from custom_field_definitions f where f.organization_id = o.id) as custom_fields
     from organizations o
    where o.id = $1`,
)

/**
 * The configurations of organizations, cached in memory. A write compares the version in its own transaction, so it never decides by an old
 * configuration (docs/adr/0002).
 */
export class Configurations {
  readonly #database: Database
  readonly #known = new Map<string, Configuration>()
  readonly #reads = new SingleFlight<Configuration>()

  constructor(database: Database) {
    this.#database = database
  }

  /** The configuration as this process last read it. It may be stale. */
  async recent({ organizationId }: Pick<Reader, 'organizationId'>): Promise<Configuration> {
    const known = this.#known.get(organizationId)
    if (known !== undefined) return known
    // Several callers may share one read, so it does not end when the first caller's client leaves.
    return this.#reads.read(organizationId, () => this.fresh(unattended(organizationId)))
  }

  /** The cached configuration, without a query; undefined if this process has none. */
  known({ organizationId }: Pick<Reader, 'organizationId'>): Configuration | undefined {
    return this.#known.get(organizationId)
  }

  /** Forgets everything: an organization that was removed may come back with other contents and the same versions. */
  forget(): void {
    this.#known.clear()
    this.#reads.forget()
  }

  /** The configuration that the database has now. */
  async fresh(reader: Reader): Promise<Configuration> {
    const { organizationId } = reader
    const [row] = await this.#database.query<ConfigurationRow>(loadConfiguration, [organizationId], reader)
    if (row === undefined) throw new Error(`no organization ${organizationId}`)
    const configuration = toConfiguration(row)
    if (this.#known.size >= bounds.knownConfigurations.most) this.#known.clear()
    this.#known.set(organizationId, configuration)
    return configuration
  }
}

// A type and not an interface, because rows need an index signature.
type ConfigurationRow = {
  readonly version: string
  readonly organization: OrganizationSettings
  readonly read_only: boolean
  readonly operators: readonly Operator[]
  readonly pipelines: readonly Omit<Pipeline, 'stages'>[]
  readonly stages: readonly Stage[]
  readonly lost_reasons: readonly LostReason[]
  readonly custom_fields: readonly CustomFieldDefinition[]
}

function toConfiguration({ pipelines, stages, ...row }: ConfigurationRow): Configuration {
  const customFields = new Map<string, CustomFieldDefinition[]>()
  for (const definition of row.custom_fields) {
    customFields.set(definition.kind, [...(customFields.get(definition.kind) ?? []), definition])
  }
  return {
    version: row.version,
    organization: row.organization,
    isReadOnly: row.read_only,
    operators: new Map(row.operators.map(operator => [operator.uuid, operator])),
    pipelines: pipelines.map(pipeline => ({
      ...pipeline,
      stages: stages.filter(stage => stage.pipelineId === pipeline.id),
    })),
    stages: new Map(stages.map(stage => [stage.uuid, stage])),
    lostReasons: new Map(row.lost_reasons.map(reason => [reason.uuid, reason])),
    customFields,
  }
}

/**
 * For changes of settings. They decide by the rows they load, which the lock of the organization protects, so they do not load the
 * configuration, and a read-only organization can be made writable.
 */
export const nothingConfigured: Configuration = {
  version: null,
  organization: {
    id: '',
    name: '',
    timeZone: 'UTC',
    defaultCurrency: '',
    currencies: [],
    locale: '',
    country: '',
    crmProvider: '',
  },
  isReadOnly: false,
  operators: new Map(),
  pipelines: [],
  stages: new Map(),
  lostReasons: new Map(),
  customFields: new Map(),
}

/** Servers that read a higher generation discard their caches of tokens, applications and organizations. */
export const raiseGeneration = statement(
  'raise_generation',
  'update installation set generation = generation + 1 where singleton',
)

/** Servers that read a higher generation of people discard what they remember of sessions, users and memberships. */
export const raisePeopleGeneration = statement(
  'raise_people_generation',
  'update installation set people_generation = people_generation + 1 where singleton',
)
