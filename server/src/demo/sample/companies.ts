import type { JsonObject } from '../../kernel/schema/index.ts'
import type { DemoConfiguration } from '../configure-demo.ts'
import { pick } from './pick.ts'
import { segments } from './sample-configuration.ts'

/** All companies and contact data are invented. Domains and numbers are those reserved for examples. */
export const companyNames = [
  { name: 'Aurora Freight', industry: 'Logistics', city: 'Boston', country: 'US', employees: 320 },
  { name: 'Blue Harbor Foods', industry: 'Food', city: 'Seattle', country: 'US', employees: 1150 },
  { name: 'Cedar Valley Clinics', industry: 'Health care', city: 'Denver', country: 'US', employees: 740 },
  { name: 'Dornfeld Werkzeuge', industry: 'Manufacturing', city: 'Stuttgart', country: 'DE', employees: 210 },
  { name: 'Estrella Textil', industry: 'Textiles', city: 'Valencia', country: 'ES', employees: 95 },
  { name: 'Fjordlys Energi', industry: 'Energy', city: 'Bergen', country: 'NO', employees: 430 },
  { name: 'Granite Peak Builders', industry: 'Construction', city: 'Phoenix', country: 'US', employees: 48 },
  { name: 'Halcyon Books', industry: 'Retail', city: 'Dublin', country: 'IE', employees: 36 },
  { name: 'Iris & Oak Interiors', industry: 'Retail', city: 'Chicago', country: 'US', employees: 27 },
  { name: 'Jolie Pâtisserie', industry: 'Food', city: 'Lyon', country: 'FR', employees: 64 },
  { name: 'Kestrel Robotics', industry: 'Manufacturing', city: 'Austin', country: 'US', employees: 510 },
  { name: 'Lumen Studios', industry: 'Media', city: 'Amsterdam', country: 'NL', employees: 18 },
] as const

export const companyKey = (position: number) => `demo-company-${position + 1}`

/** The domain of a company's addresses. */
export function domainOf(position: number): string {
  const words =
    pick(companyNames, position)
      .name.normalize('NFKD')
      .toLowerCase()
      .match(/[a-z]+/gu) ?? []
  return `${words.join('-')}.example`
}

export function sampleCompanies({ operatorUuids }: DemoConfiguration): JsonObject[] {
  return companyNames.map(({ name, industry, city, country, employees }, position) => ({
    externalId: companyKey(position),
    name,
    industry,
    employeesCount: employees,
    websites: [`https://www.${domainOf(position)}`],
    source: pick(['website', 'trade fair', 'referral'], position),
    ownerUuid: pick(operatorUuids, position),
    contactData: {
      emails: [{ value: `office@${domainOf(position)}` }],
      addresses: [{ city, country }],
    },
    customFields: { segment: segments[employees <= 50 ? 0 : employees <= 500 ? 1 : 2] },
  }))
}
