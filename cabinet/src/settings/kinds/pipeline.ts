import { isList, type JsonObject } from '../../records/record.ts'
import type { SettingField } from '../setting-field.tsx'
import { tidyValues } from '../setting-values.ts'

/** A pipeline as the settings list it. */
export interface PipelineSetting {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly isDefault: boolean
  readonly lostReasonRequired: boolean
}

/** A stage of a pipeline. */
export interface StageSetting {
  readonly id: string
  readonly version: number
  readonly pipelineId: string
  readonly name: string
  readonly type: 'open' | 'won' | 'lost'
  readonly position: number
  readonly archived: boolean
}

export const stageTypeChoices = [
  { id: 'open', name: 'Open' },
  { id: 'won', name: 'Won' },
  { id: 'lost', name: 'Lost' },
] as const

/** The fields of a pipeline. The stages of a new one become its first stages. */
export const pipelineFields: readonly SettingField[] = [
  { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
  {
    name: 'stages',
    label: 'Stages of open deals',
    hint: 'One in each line. A stage for won and one for lost deals come behind them.',
    widget: 'lines',
    isRequired: true,
    only: 'new',
  },
  { name: 'isDefault', label: 'New deals go here', widget: 'flag' },
  { name: 'lostReasonRequired', label: 'A lost deal needs a reason', widget: 'flag' },
]

/** The fields of a stage. */
export const stageFields: readonly SettingField[] = [
  { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
  { name: 'type', label: 'Type', widget: 'choice', choices: stageTypeChoices, isRequired: true, only: 'new' },
  { name: 'archived', label: 'Archived: no more deals can enter it', widget: 'flag', only: 'change' },
]

/** The body of a new pipeline, with stages named `won` and `lost` behind those of open deals. */
export function bodyOfPipeline(values: JsonObject, won: string, lost: string): JsonObject {
  const { stages, ...body } = tidyValues(values)
  const open = isList(stages) ? stages.map(name => ({ name: String(name), type: 'open' })) : []
  return { ...body, stages: [...open, { name: won, type: 'won' }, { name: lost, type: 'lost' }] }
}
