import type { JsonObject } from '../../kernel/schema/index.ts'
import type { DemoConfiguration } from '../configure-demo.ts'
import { companyKey, companyNames } from './companies.ts'
import { contactKey, contactsCount } from './contacts.ts'
import { pick } from './pick.ts'
import { interests } from './sample-configuration.ts'

/** The number of deals in each stage of the default pipeline: 40 in all. */
const dealsInStage = { New: 8, Qualified: 7, Proposal: 6, Negotiation: 5, Won: 8, Lost: 6 }

const subjects = ['Warehouse shelving', 'Sorting line', 'Service contract', 'Spare parts', 'Packing station']

export const dealKey = (position: number) => `demo-deal-${position + 1}`

export function sampleDeals(configuration: DemoConfiguration): JsonObject[] {
  const stages = Object.entries(dealsInStage).flatMap(([name, count]) => Array.from({ length: count }, () => name))
  return stages.map((stage, position) => sampleDeal(stage, position, configuration))
}

function sampleDeal(stage: string, position: number, configuration: DemoConfiguration): JsonObject {
  const { stageUuids, lostReasonUuids, operatorUuids } = configuration
  const company = pick(companyNames, position)
  const reason = stage === 'Lost' ? { lostReasonCategoryUuid: pick(lostReasonUuids, position) } : {}
  return {
    externalId: dealKey(position),
    title: `${pick(subjects, position)} for ${company.name}`,
    amount: `${1200 + ((position * 3700) % 48_000)}.00`,
    currency: company.country === 'US' ? 'USD' : 'EUR',
    priority: pick(['medium', 'low', 'high', 'medium', 'urgent'], position),
    ownerUuid: pick(operatorUuids, position),
    expectedCloseDate: `2026-${String((position % 12) + 1).padStart(2, '0')}-15`,
    stageUuid: stageUuids.get(stage),
    ...reason,
    companies: [{ externalId: companyKey(position % companyNames.length) }],
    contacts: contactsOf(position),
    customFields: { interests: [pick(interests, position)], renewal: position % 4 === 0 },
  }
}

/** A contact of the deal's company; every third deal has two. */
function contactsOf(position: number): JsonObject[] {
  const first = position % companyNames.length
  const second = first + companyNames.length
  const positions = position % 3 === 0 && second < contactsCount ? [first, second] : [first]
  return positions.map(each => ({ externalId: contactKey(each) }))
}
