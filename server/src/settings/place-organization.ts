import { parseToken } from '../kernel/auth/index.ts'
import { type RecordState, Refusal, rateDefaults } from '../kernel/index.ts'
import type { Transaction } from '../kernel/sql/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer, place } from './administer.ts'
import { application } from './application-record.ts'
import { grantedScopes } from './granted-scopes.ts'
import { addStartingSettings, type StartingSettings } from './organizations.ts'
import { addToken } from './tokens.ts'

/** An organization in UTC and US dollars with one application and its token, whose ids are known before. */
export interface PlacedOrganization {
  readonly organizationId: string
  readonly name: string
  readonly currencies: readonly string[]
  readonly applicationId: string
  readonly applicationName: string
  /** The text of a token of a sandbox; it gets every scope that can be granted. */
  readonly token: string
  readonly tokenName: string
}

/**
 * Puts a sandbox organization there with what every organization starts with: makes it, or sets back the one that there is,
 * after `clear` removed everything but itself, its feed and the application in the same transaction. It is not yet the demo.
 */
export async function placeOrganization(
  administration: Administration,
  placed: PlacedOrganization,
  clear: (transaction: Transaction) => Promise<void>,
): Promise<StartingSettings> {
  const parsed = parseToken(placed.token)
  if (parsed === null) throw new Error('the token to be placed is no token')
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
  const { read: rateRead, write: rateWrite } = rateDefaults
  const input = { name: placed.applicationName, rateRead, rateWrite, enabled: true }
  return before === null
    ? draft.add(application, input, { id: placed.applicationId })
    : draft.alter(application, before, input)
}

/** Makes an organization the demo of the installation. */
export async function makeDemo(administration: Administration, organizationId: string): Promise<void> {
  await administer(administration, organizationId, { decide: draft => draft.change({}, { demo: true }) })
}
