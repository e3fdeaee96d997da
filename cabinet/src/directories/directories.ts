import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/index.ts'

export interface Operator {
  readonly uuid: string
  readonly name: string
  readonly isActive: boolean
}

interface Tag {
  readonly id: string
  readonly name: string
  readonly color: string | null
  readonly kinds: readonly string[]
}

export interface Stage {
  readonly uuid: string
  readonly name: string
  readonly type: 'open' | 'won' | 'lost'
}

export interface Pipeline {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly stages: readonly Stage[]
}

export interface CustomField {
  readonly kind: string
  readonly key: string
  readonly label: string
  readonly type: 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'select' | 'multiselect' | 'url' | 'user'
  readonly options: readonly { readonly key: string; readonly label: string }[]
  readonly required: boolean
}

/** What records can name. What the reader's role hides is absent. */
export interface Directories {
  readonly pipelines: readonly Pipeline[]
  readonly lostReasonCategories: readonly { readonly uuid: string; readonly name: string }[]
  readonly tags?: readonly Tag[]
  readonly customFields?: readonly CustomField[]
  readonly operators?: readonly Operator[]
}

/** The directories of an organization. They change seldom, so pages read them once in a while. */
export function directoriesQuery(organization: string) {
  return queryOptions({
    queryKey: ['directories', organization],
    queryFn: async ({ signal }): Promise<Directories> => {
      const { directories } = await request<{ directories: Directories }>(
        'GET',
        `/o/${organization}/crm/capabilities`,
        { signal },
      )
      return directories
    },
    staleTime: 300_000,
  })
}

/** The name of an operator; undefined where nobody tells. */
export function operatorName({ operators }: Directories, uuid: string): string | undefined {
  return operators?.find(operator => operator.uuid === uuid)?.name
}

/** A stage by its id, with that of its pipeline. */
export function stageOf({ pipelines }: Directories, uuid: string): (Stage & { pipeline: Pipeline }) | undefined {
  for (const pipeline of pipelines) {
    const stage = pipeline.stages.find(one => one.uuid === uuid)
    if (stage !== undefined) return { ...stage, pipeline }
  }
  return undefined
}
