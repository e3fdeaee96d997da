import { type RecordState, Refusal, raisePeopleGeneration } from '../kernel/index.ts'
import type { OrganizationSettings } from '../kernel/schema/index.ts'
import { type Administration, administer } from './administer.ts'
import { controlsOf, expectAllowed } from './controls.ts'
import { type OrganizationInput, organization } from './organization.ts'
import { normalizingAnew } from './phone-numbers/index.ts'
import type { OfOrganization, VersionedAddress } from './setting.ts'

export interface Organization extends OrganizationSettings {
  readonly sandbox: boolean
  /** Whether its writes are refused and its jobs paused. */
  readonly readOnly: boolean
  /** The quota of its files in bytes, and the bytes that they use. */
  readonly fileQuotaBytes: number
  readonly fileBytes: number
  /** What members and those who only read see, what managers may do, and whether members need a second factor. */
  readonly membersSeeContactData: boolean
  readonly membersSeeAmounts: boolean
  readonly managersManageIntegrations: boolean
  readonly secondFactorRequired: boolean
}

export const organizationControls = controlsOf(organization.fields)

/** A changed organization. */
export interface ChangedOrganization extends Organization {
  /** The job that normalizes its phone numbers again; absent if the request names no country. */
  readonly phoneJobId?: string
}

/**
 * Changes the members of the input; if they include a country, even an unchanged one, phone numbers are normalized again. Throws an
 * `AdministrationError` for an unknown organization or an invalid value.
 */
export async function setOrganization(
  administration: Administration,
  { organizationId, ...change }: OfOrganization & Pick<VersionedAddress, 'expectedVersion'> & OrganizationInput,
): Promise<ChangedOrganization> {
  expectAllowed(administration, organizationControls.set, change)
  const anew = change.country === undefined ? null : normalizingAnew()
  return administer(administration, organizationId, {
    jobs: anew?.jobs ?? [],
    needs: needs => anew?.needs(needs),
    // Servers remember what members may do here.
    async sweep(transaction) {
      await transaction.query(raisePeopleGeneration, [])
    },
    decide(draft) {
      const changed = draft.change(change)
      if (changed instanceof Refusal) return changed
      anew?.decide(draft)
      // A write that was decided before this change either commits before it, or is decided again and refused.
      if (change.readOnly === true) draft.endOlder()
      return anew === null ? organizationOfRecord(changed) : { ...organizationOfRecord(changed), phoneJobId: anew.id }
    },
  })
}

/** The receipt of a created or changed organization. */
export function organizationOfRecord(record: RecordState): Organization {
  return {
    id: record.id,
    name: String(record.name),
    timeZone: String(record.timeZone),
    defaultCurrency: String(record.defaultCurrency),
    currencies: Array.isArray(record.currencies) ? record.currencies.map(String) : [],
    locale: String(record.locale),
    country: String(record.country),
    crmProvider: String(record.crmProvider),
    sandbox: record.sandbox === true,
    readOnly: record.readOnly === true,
    fileQuotaBytes: Number(record.fileQuotaBytes),
    fileBytes: Number(record.fileBytes),
    membersSeeContactData: record.membersSeeContactData === true,
    membersSeeAmounts: record.membersSeeAmounts === true,
    managersManageIntegrations: record.managersManageIntegrations === true,
    secondFactorRequired: record.secondFactorRequired === true,
  }
}
