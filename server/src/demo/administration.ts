import type { Transaction } from '../kernel/sql/index.ts'

/** The administration functions that the demo needs. They are passed in, because modules do not import each other. */
export interface DemoAdministration {
  /** Creates an organization with an application, a token, a pipeline and lost reasons, or restores these after `clear`. */
  placeOrganization(
    input: OfOrganization & PlacedInput,
    clear: (transaction: Transaction) => Promise<void>,
  ): Promise<PlacedSettings>
  /** Marks the organization as the demo. */
  makeDemo(organizationId: string): Promise<void>
  createToken(input: OfOrganization & TokenInput): Promise<{ readonly token: string }>
  createOperator(
    input: OfOrganization & { readonly name: string; readonly email: string },
  ): Promise<{ readonly id: string }>
  createTag(input: OfOrganization & TagInput): Promise<{ readonly id: string }>
  createCustomField(input: OfOrganization & CustomFieldInput): Promise<{ readonly key: string }>
}

interface OfOrganization {
  readonly organizationId: string
}

interface PlacedInput {
  readonly name: string
  readonly currencies: readonly string[]
  readonly applicationId: string
  readonly applicationName: string
  readonly token: string
  readonly tokenName: string
}

/** The settings with which every organization starts. */
export interface PlacedSettings {
  readonly pipeline: { readonly stages: readonly { readonly uuid: string; readonly name: string }[] }
  readonly lostReasonUuids: readonly string[]
}

interface TokenInput {
  readonly applicationId: string
  readonly name: string
  readonly scopes: readonly string[]
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
