import type { DemoConfiguration } from './configure-demo.ts'
import { sampleCompanies } from './sample/companies.ts'
import { sampleContacts } from './sample/contacts.ts'
import { sampleDeals } from './sample/deals.ts'
import { type SampleWriter, upsert, upsertBatch } from './sample-writer.ts'

/** Writes the sample records, those first that others refer to. Throws when one is refused. */
export async function writeSampleRecords(writer: SampleWriter, configuration: DemoConfiguration) {
  const companies = sampleCompanies(configuration)
  const contacts = sampleContacts(configuration)
  const deals = sampleDeals(configuration)
  // Companies have no batch routes.
  for (const company of companies) await upsert(writer, 'companies', company)
  await upsertBatch(writer, 'contacts', contacts)
  await upsertBatch(writer, 'deals', deals)
  return { companies: companies.length, contacts: contacts.length, deals: deals.length }
}
