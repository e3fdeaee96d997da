import { parseToken } from '../kernel/auth/index.ts'
import { type RecordState, Refusal, rateDefaults, type SettingsChange, type SettingsDraft } from '../kernel/index.ts'
import { newId } from '../kernel/schema/index.ts'
import type { Transaction } from '../kernel/sql/index.ts'
import { type Administration, administer, place } from './administer.ts'
import { AdministrationError } from './administration-error.ts'
import { application } from './application.ts'
import { type Organization, organizationOfRecord } from './change-organization.ts'
import { lostReason } from './lost-reason.ts'
import type { OrganizationInput } from './organization.ts'
import { addPipeline, type CreatedPipeline, createdPipeline } from './pipeline.ts'
import { addToken, grantedScopes } from './tokens.ts'

/**
 * Creates an organization with its feed, one pipeline and three lost reasons; by default with UTC, USD, US and en. `also` adds more in the
 * same change. Throws an `AdministrationError` for an invalid value.
 */
export async function createOrganization(
  administration: Administration,
  input: OrganizationInput,
  also: AlsoFounded = () => ({}),
): Promise<Organization> {
  if (administration.as === 'owner')
    throw new AdministrationError('only the operator of the installation may create an organization')
  const organizationId = newId()
  const { needs, decide, sweep } = also(organizationId)
  return place(administration, organizationId, {
    ...(needs === undefined ? {} : { needs }),
    ...(sweep === undefined ? {} : { sweep }),
    decide(draft) {
      const founded = draft.found(input)
      if (founded instanceof Refusal) return founded
      const start = addStartingSettings(draft)
      if (start instanceof Refusal) return start
      const added = decide?.(draft)
      return added instanceof Refusal ? added : organizationOfRecord(founded)
    },
  })
}

/** What is added to a new organization with this id, in the change that creates it. */
export type AlsoFounded = (
  organizationId: string,
) => Partial<Pick<SettingsChange<unknown>, 'needs' | 'decide' | 'sweep'>>

/** The initial settings of every organization; the reasons serve all its pipelines. */
export interface StartingSettings {
  readonly pipeline: CreatedPipeline
  readonly lostReasonUuids: readonly string[]
}

const defaultPipeline = {
  name: 'Sales',
  stages: [
    { name: 'New', type: 'open' },
    { name: 'Qualified', type: 'open' },
    { name: 'Proposal', type: 'open' },
    { name: 'Negotiation', type: 'open' },
    { name: 'Won', type: 'won' },
    { name: 'Lost', type: 'lost' },
  ],
  isDefault: true,
}

const defaultLostReasons = ['Too expensive', 'Chose a competitor', 'No longer needed']

function addStartingSettings(draft: SettingsDraft): StartingSettings | Refusal {
  const pipeline = addPipeline(draft, defaultPipeline)
  if (pipeline instanceof Refusal) return pipeline
  const lostReasonUuids: string[] = []
  for (const name of defaultLostReasons) {
    const reason = draft.add(lostReason, { name })
    if (reason instanceof Refusal) return reason
    lostReasonUuids.push(reason.id)
  }
  return { pipeline: createdPipeline(pipeline, draft), lostReasonUuids }
}

/** An organization in UTC and US dollars with one application and its token, with predetermined ids. */
export interface PlacedOrganization {
  readonly organizationId: string
  readonly name: string
  readonly currencies: readonly string[]
  readonly applicationId: string
  readonly applicationName: string
  /** The text of a token of a sandbox, which gets every grantable scope. */
  readonly token: string
  readonly tokenName: string
}

/**
 * Creates a sandbox organization with the initial settings, or resets the existing one after `clear` has removed everything but the
 * organization, its feed and the application in the same transaction. It is not yet marked as the demo.
 */
export async function placeOrganization(
  administration: Administration,
  placed: PlacedOrganization,
  clear: (transaction: Transaction) => Promise<void>,
): Promise<StartingSettings> {
  const parsed = parseToken(placed.token)
  if (parsed === null) throw new Error('the text of the sandbox token is not a token')
  return place(administration, placed.organizationId, {
    needs: needs => needs.toLoadNested(application, placed.applicationId),
    decide(draft) {
      const founded = placeItself(draft, placed)
      if (founded instanceof Refusal) return founded
      const owner = placeApplication(draft, placed)
      if (owner instanceof Refusal) return owner
      const issued = addToken(draft, owner, parsed, {
        name: placed.tokenName,
        scopes: grantedScopes(['all'], administration.grantableScopes),
      })
      return issued instanceof Refusal ? issued : addStartingSettings(draft)
    },
    sweep: clear,
  })
}

function placeItself(draft: SettingsDraft, { name, currencies }: PlacedOrganization): RecordState | Refusal {
  const input = { name, currencies, timeZone: 'UTC', crmProvider: 'built_in' }
  const facts = { defaultCurrency: 'USD', locale: 'en', country: 'US', sandbox: true, demo: false }
  return draft.organization === null ? draft.found(input, facts) : draft.change(input, facts)
}

function placeApplication(draft: SettingsDraft, placed: PlacedOrganization): RecordState | Refusal {
  const before = draft.record(application, placed.applicationId)
  const input = { name: placed.applicationName, rateRead: rateDefaults.read, rateWrite: rateDefaults.write }
  return before === null
    ? draft.add(application, input, { id: placed.applicationId })
    : draft.alter(application, before, { ...input, enabled: true })
}

/** Marks an organization as the demo of the installation. */
export async function makeDemo(administration: Administration, organizationId: string): Promise<void> {
  await administer(administration, organizationId, { decide: draft => draft.change({}, { demo: true }) })
}
