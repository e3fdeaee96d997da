import type { Database, Transaction } from '../kernel/sql/index.ts'

/**
 * What the demo needs from the administration of an installation. It is passed in, because modules do not know each
 * other.
 */
export interface DemoAdministration {
  readonly defaultPipeline: PipelineInput
  readonly defaultLostReasons: readonly string[]
  administer<Result>(database: Database, change: (transaction: Transaction) => Promise<Result>): Promise<Result>
  createPipeline(
    database: Database,
    input: PipelineInput & OfOrganization,
  ): Promise<{ readonly stages: readonly { readonly uuid: string; readonly name: string }[] }>
  createLostReason(database: Database, input: OfOrganization & { readonly name: string }): Promise<{ uuid: string }>
  createOperator(
    database: Database,
    input: OfOrganization & { readonly name: string; readonly email: string },
  ): Promise<{ id: string }>
  createTag(database: Database, input: OfOrganization & TagInput): Promise<{ id: string }>
  createCustomField(database: Database, input: OfOrganization & CustomFieldInput): Promise<{ key: string }>
}

interface OfOrganization {
  readonly organizationId: string
}

interface PipelineInput {
  readonly name: string
  readonly stages: readonly { readonly name: string; readonly type: string }[]
  readonly isDefault?: boolean | undefined
}

export interface TagInput {
  readonly name: string
  readonly color: string
  readonly kinds: readonly string[]
}

export interface CustomFieldInput {
  readonly kind: string
  readonly key: string
  readonly type: string
  readonly label: string
  readonly options?: readonly { readonly key: string; readonly label: string }[]
}
