/** The configuration of an organization in the form that rules use. `kernel/configuration` loads it and compares its version. */
export interface Configuration {
  /** null: the write itself has locked the configuration, so it cannot have changed since. */
  readonly version: string | null
  readonly organization: OrganizationSettings
  /** Whether the organization is read-only for the time being. */
  readonly isReadOnly: boolean
  readonly operators: ReadonlyMap<string, Operator>
  readonly pipelines: readonly Pipeline[]
  readonly stages: ReadonlyMap<string, Stage>
  readonly lostReasons: ReadonlyMap<string, LostReason>
  readonly customFields: ReadonlyMap<string, readonly CustomFieldDefinition[]>
}

export interface OrganizationSettings {
  readonly id: string
  readonly name: string
  readonly timeZone: string
  readonly defaultCurrency: string
  readonly currencies: readonly string[]
  readonly locale: string
  readonly country: string
  readonly crmProvider: string
}

export interface Operator {
  readonly uuid: string
  readonly name: string
  readonly isActive: boolean
}

export interface Pipeline {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly lostReasonRequired: boolean
  /** In the order of their positions, including archived stages. */
  readonly stages: readonly Stage[]
}

export type StageType = 'open' | 'won' | 'lost'

export interface Stage {
  readonly uuid: string
  readonly pipelineId: string
  readonly name: string
  readonly type: StageType
  readonly position: number
  readonly archived: boolean
}

export interface LostReason {
  readonly uuid: string
  readonly name: string
  /** null: the reason can be used in every pipeline. */
  readonly pipelineId: string | null
  readonly active: boolean
}

export const customFieldTypes = [
  'text',
  'number',
  'boolean',
  'date',
  'datetime',
  'select',
  'multiselect',
  'url',
  'user',
] as const
export type CustomFieldType = (typeof customFieldTypes)[number]

export interface CustomFieldDefinition {
  readonly kind: string
  readonly key: string
  readonly label: string
  readonly type: CustomFieldType
  readonly options: readonly { readonly key: string; readonly label: string }[]
  readonly required: boolean
}
