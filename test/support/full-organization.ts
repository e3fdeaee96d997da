import { newId } from '../../server/src/kernel/schema/index.ts'
import { setOrganization } from '../../server/src/settings/index.ts'
import { anActivityOf, partyKinds } from '../conformance/support/activities.ts'
import { aChunk, admitted, doneTasks, someRecords } from '../conformance/support/bulk-jobs.ts'
import { aChecklist } from '../conformance/support/checklists.ts'
import { aFile, attach } from '../conformance/support/files.ts'
import { aRecord, kinds, partOf, plurals } from '../conformance/support/requests.ts'
import { callEveryOperation } from '../plans/every-operation.ts'
import { created, done } from '../plans/expected.ts'
import type { TestApi } from './api.ts'
import { aContact } from './builders.ts'
import { anOrganization, type TestOrganization } from './organization.ts'
import { aWebhook } from './webhooks.ts'

/** Texts that break a file if they are not escaped. */
export const awkwardText = 'Line one\nline two\t"quoted" \\ back\\nslash, \u2028, {"a":[1]}, 😀 and Ё'

const awkwardHeader = '"quoted" \\ back\\nslash, {"a":[1]}'

/** An organization that has used every feature: every table with organizations has rows of it. */
export async function aFullOrganization(api: TestApi): Promise<TestOrganization> {
  const organization = await anOrganization(api)
  const { id, client } = organization
  // Its only token is not named; after the calls it has several.
  const webhook = { headers: [{ name: 'X-Key', value: awkwardHeader }], body: 'full' } as const
  await someDeliveries(api, id, (await aWebhook(api.test, organization, webhook)).id)
  await api.test.database.script(
    `insert into custom_field_definitions (organization_id, kind, key, label, type, options, position, created_at)
     values ('${id}', 'contact', 'size', 'Size', 'number', '[]', 0, now());
     update organizations set directory_version = directory_version + 1 where id = '${id}'`,
  )
  await callEveryOperation(organization)
  await aBulkJobWithErrors(api, organization)
  await aChecklist(organization, 2)
  await partOf(organization, 'items')
  await partOf(organization, 'activities')
  for (const kind of partyKinds) await anActivityOf(kind, organization, { body: awkwardText })
  for (const kind of kinds)
    await created(
      attach(client, `/${plurals[kind]}/${(await aRecord(kind, organization)).id}`, 1, [aFile(awkwardText), aFile('')]),
    )
  const contact = { description: awkwardText, customFields: { size: '12345678.125' } }
  const { data } = await created(client.post('/contacts', aContact(contact)))
  const company = await aRecord('company', organization)
  await done(client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: [{ id: data.id }] }))
  await anImportUnderWay(api, id)
  await aReadFile(api, id)
  await aView(api, organization)
  await aMember(api, id)
  await setOrganization(api.test, { organizationId: id, country: 'DE' })
  return organization
}

/** A finished bulk job in which one target failed because of its version. */
export async function aBulkJobWithErrors(api: TestApi, organization: TestOrganization): Promise<void> {
  const tasks = await someRecords('task', 2, organization)
  const targets = [{ id: tasks[0]?.id }, { id: tasks[1]?.id, expectedVersion: 7 }]
  const jobId = await admitted(organization.client, { ...doneTasks([]), targets })
  await aChunk(api, organization, jobId)
}

/** An import in the middle of a dry run, with rows in all of its tables, and in those of an undo. */
export async function anImportUnderWay(api: TestApi, organizationId: string): Promise<void> {
  const importId = newId()
  await api.test.database.script(
    `insert into imports (organization_id, id, entity_type, status, file_name, size_bytes, sha256, counters, errors,
       author_type, created_at)
     values ('${organizationId}', '${importId}', 'contacts', 'running', 'a.csv', 1, '', '{"total":1}', '[]', 'application',
       now());
     insert into import_errors values ('${organizationId}', '${importId}', 2, 0, '{"row":2}');
     insert into import_outcomes values ('${organizationId}', '${importId}', 2, '2,,,failed');
     insert into import_primaries values ('${organizationId}', '${importId}', '${importId}');
     insert into import_rehearsals values ('${organizationId}', '${importId}', 'contact', '${importId}', null, '{a}', '{}');
     insert into import_undos (organization_id, id, import_id, status, position, done, removed, restored, kept, created_at)
     values ('${organizationId}', '${importId}', '${importId}', 'running', '${importId}', 1, 0, 0, 1, now());
     insert into import_undo_kept values ('${organizationId}', '${importId}', '${importId}', 'contact', 'changed', '{}')`,
  )
}

/** What a worker stores of deliveries, of which one was refused. */
async function someDeliveries(api: TestApi, organizationId: string, webhookId: string): Promise<void> {
  const key = `'${organizationId}', '${webhookId}'`
  await api.test.database.script(
    `insert into webhook_positions (organization_id, subscription_id, token, epoch, settled_seq, holes, changed_at)
     values (${key}, 3, 1, 7, '\\x05', now());
     insert into webhook_parked (organization_id, subscription_id, seq, resource_id, merged_seqs, attempts, next_at)
     values (${key}, 6, gen_random_uuid(), '{4,5}', 1, now());
     insert into webhook_runs values (${key}, now(), 1, 3, '{0,2}', '{200,204}', '{3,4}', '{5,6}');
     insert into webhook_failures values (${key}, now(), 6, null, 1, 500, 'status', 3);
     insert into webhook_notices (organization_id, subscription_id, paused_id, paused_at, settled_seq, next_at)
     values (${key}, '${webhookId}', now(), 1, now());
     insert into webhook_replays (organization_id, subscription_id, id, created_at, changed_at, from_seq, to_seq, only_seqs, epoch, settled_seq)
     values (${key}, gen_random_uuid(), now(), now(), 1, 6, '{1,6}', 1, 0)`,
  )
}

/** A view of a list that an operator has kept. */
async function aView(api: TestApi, { id, operator }: TestOrganization): Promise<void> {
  await api.test.database.script(
    `insert into views values ('${id}', gen_random_uuid(), 1, now(), now(), '${operator}', 'deals', 'Mine', true, '{"filters":{}}')`,
  )
}

/** The indexed passages of a file of a knowledge base. */
async function aReadFile(api: TestApi, organizationId: string): Promise<void> {
  await api.test.database.script(
    `insert into knowledge_contents
       select organization_id, content_id, knowledge_base_id, 1 from knowledge_files where organization_id = '${organizationId}';
     insert into knowledge_passages
       select organization_id, id, 0, knowledge_base_id, 'Tea is cold.', '', 1, null, null, 3, to_tsvector('english', 'tea is cold')
         from knowledge_contents where organization_id = '${organizationId}';
     insert into knowledge_words
       select organization_id, knowledge_base_id, 'tea', 1 from knowledge_contents where organization_id = '${organizationId}'`,
  )
}

/** A user who is a member, and an invitation of another. */
async function aMember(api: TestApi, organizationId: string): Promise<void> {
  const userId = newId()
  await api.test.database.script(
    `insert into users (id, email, name, created_at, updated_at) values ('${userId}', '${userId}@example.com', 'Ann', now(), now());
     insert into memberships (organization_id, id, user_id, role, created_at, updated_at, version)
       select organization_id, id, '${userId}', 'owner', now(), now(), 1 from operators
        where organization_id = '${organizationId}' limit 1;
     insert into user_links (secret_hash, kind, email, name, organization_id, role, created_at, expires_at)
       values ('${organizationId}', 'invitation', 'ben@example.com', 'Ben', '${organizationId}', 'member', now(), now())`,
  )
}
