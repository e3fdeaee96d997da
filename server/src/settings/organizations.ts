import { type RecordState, Refusal } from '../kernel/index.ts'
import { newId, type OrganizationSettings } from '../kernel/schema/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer, place } from './administer.ts'
import { addLostReason } from './lost-reasons.ts'
import { normalizingAnew } from './phone-numbers/index.ts'
import { addPipeline, type CreatedPipeline, defaultPipeline } from './pipelines.ts'

export interface Organization extends OrganizationSettings {
  readonly sandbox: boolean
  /** Whether its writes are refused and its jobs wait. */
  readonly readOnly: boolean
  /** How many bytes its files may have, and how many they have. */
  readonly fileQuotaBytes: number
  readonly fileBytes: number
}

export interface NewOrganization {
  readonly name: string
  readonly timeZone?: string | undefined
  readonly currency?: string | undefined
  readonly country?: string | undefined
  readonly locale?: string | undefined
  /** For trials: its tokens are of the environment `test`. */
  readonly sandbox?: boolean | undefined
}

/**
 * Creates an organization with its feed, one pipeline and three lost reasons; UTC, USD, US and en unless told.
 * Throws an `AdministrationError` for a value that is not valid.
 */
export async function createOrganization(
  administration: Administration,
  input: NewOrganization,
): Promise<Organization> {
  const { name, timeZone, currency: defaultCurrency, country, locale, sandbox } = input
  return place(administration, newId(), {
    decide(draft) {
      const founded = draft.found({ name, timeZone, defaultCurrency, country, locale, sandbox })
      if (founded instanceof Refusal) return founded
      const start = addStartingSettings(draft)
      return start instanceof Refusal ? start : shown(founded)
    },
  })
}

/** What every organization starts with; the reasons serve all its pipelines. */
export interface StartingSettings {
  readonly pipeline: CreatedPipeline
  readonly lostReasonUuids: readonly string[]
}

const defaultLostReasons = ['Too expensive', 'Chose a competitor', 'No longer needed']

export function addStartingSettings(draft: SettingsDraft): StartingSettings | Refusal {
  const pipeline = addPipeline(draft, defaultPipeline)
  if (pipeline instanceof Refusal) return pipeline
  const lostReasonUuids: string[] = []
  for (const name of defaultLostReasons) {
    const reason = addLostReason(draft, { name })
    if (reason instanceof Refusal) return reason
    lostReasonUuids.push(reason.uuid)
  }
  return { pipeline, lostReasonUuids }
}

export interface OrganizationChange {
  readonly organizationId: string
  readonly name?: string | undefined
  readonly crmProvider?: string | undefined
  /** The currencies that are enabled from now on; the default currency always is. */
  readonly currencies?: readonly string[] | undefined
  readonly timeZone?: string | undefined
  /** An ISO 3166-1 alpha-2 code. Phone numbers are normalised anew, also where it stays the same. */
  readonly country?: string | undefined
  readonly locale?: string | undefined
  readonly readOnly?: boolean | undefined
  readonly fileQuotaBytes?: number | undefined
}

/** An organization that was changed. */
export interface ChangedOrganization extends Organization {
  /** The job that normalises its phone numbers anew; absent where no country was given. */
  readonly phoneJobId?: string
}

/** Changes what is given. Throws an `AdministrationError` for an unknown organization or a value that is not valid. */
export async function setOrganization(
  administration: Administration,
  { organizationId, ...change }: OrganizationChange,
): Promise<ChangedOrganization> {
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
      return anew === null ? shown(changed) : { ...shown(changed), phoneJobId: anew.id }
    },
  })
}

function shown(record: RecordState): Organization {
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
