import type { RecordHead } from '../../kernel/index.ts'

/** A deal in memory, as its rules see it. */
export interface DealState extends RecordHead {
  readonly kind: 'ordinary' | 'unsorted'
  readonly title: string
  readonly amount: string | null
  readonly currency: string | null
  readonly ownerUuid: string | null
  readonly pipelineId: string
  readonly stageUuid: string
  readonly status: 'open' | 'won' | 'lost'
  readonly rank: string
  readonly lostReasonCategoryUuid: string | null
  readonly lostReasonComment: string | null
  readonly stageChangedAt: string | null
  readonly closedAt: string | null
  readonly companies: readonly string[]
  readonly contacts: readonly string[]
  readonly tagIds: readonly string[]
  readonly itemsTotal: string
  readonly itemsCount: number
  readonly activitiesCount: number
  readonly stageSpan: number
}
