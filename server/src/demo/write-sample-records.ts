import type { DemoConfiguration } from './configure-demo.ts'
import { sampleCompanies } from './sample/companies.ts'
import { sampleContacts } from './sample/contacts.ts'
import { sampleDeals } from './sample/deals.ts'
import { taggings } from './sample/taggings.ts'
import { sampleTasks } from './sample/tasks.ts'
import type { SampleWriter } from './sample-writer.ts'

/** Writes the sample records and their tags. Records that others refer to come first. Throws if one is refused. */
export async function writeSampleRecords(writer: SampleWriter, configuration: DemoConfiguration) {
  const companies = await writer.upsert('companies', sampleCompanies(configuration))
  const contacts = await writer.upsert('contacts', sampleContacts(configuration))
  const deals = await writer.upsert('deals', sampleDeals(configuration))
  const tasks = await writer.upsert('tasks', sampleTasks(configuration))
  await writeTags(writer, { companies, contacts, deals, tasks }, configuration)
  return { companies: companies.length, contacts: contacts.length, deals: deals.length, tasks: tasks.length }
}

async function writeTags(
  writer: SampleWriter,
  ids: Readonly<Record<keyof typeof taggings, readonly string[]>>,
  { tagIds }: DemoConfiguration,
): Promise<void> {
  for (const plural of ['companies', 'contacts', 'deals', 'tasks'] as const) {
    for (const [position, names] of taggings[plural]) {
      const tags = names.flatMap(name => tagIds.get(name) ?? [])
      await writer.setTags(plural, ids[plural][position] ?? '', tags)
    }
  }
}
