import { type RecordState, Refusal } from '../kernel/index.ts'
import type { OrganizationSettings } from '../kernel/schema/index.ts'
import { type Administration, administer } from './administer.ts'
import { controlsOf, expectAllowed } from './controls.ts'
import { type OrganizationInput, organization } from './organization.ts'
import { normalizingAnew } from './phone-numbers/index.ts'
import type { OfOrganization } from './setting.ts'

export interface Organization extends OrganizationSettings {
  readonly sandbox: boolean
  /** Whether its writes are refused and its jobs wait. */
  readonly readOnly: boolean
  /** How many bytes its files may have, and how many they have. */
  readonly fileQuotaBytes: number
  readonly fileBytes: number
}

export const organizationControls = controlsOf(organization.fields)

/** An organization that was changed. */
export interface ChangedOrganization extends Organization {
  /** The job that normalises its phone numbers anew; absent where no country was given. */
  readonly phoneJobId?: string
}

/**
 * Changes what is given; phone numbers are normalised anew where a country is, also where it stays the same. Throws an `AdministrationError` for an unknown organization or a value that is not valid.
 */
export async function setOrganization(
  administration: Administration,
  { organizationId, ...change }: OfOrganization & OrganizationInput,
): Promise<ChangedOrganization> {
  expectAllowed(administration, organizationControls.set, change)
  const anew = change.country === undefined ? null : normalizingAnew()
  return administer(administration, organizationId, {
    jobs: anew?.jobs ?? [],
    needs: needs => anew?.needs(needs),
    decide(draft) {
      const changed = draft.change(change)
      if (changed instanceof Refusal) return changed
      anew?.decide(draft)
      // A write that was decided before commits before, or is decided again and refused.
      if (change.readOnly === true) draft.endOlder()
      return anew === null ? organizationOfRecord(changed) : { ...organizationOfRecord(changed), phoneJobId: anew.id }
    },
  })
}

/** What is said of an organization that was created or changed. */
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
  }
}
