import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { createServices } from './server/src/create-services.ts'
import { Secret } from './server/src/kernel/index.ts'
import { newId } from './server/src/kernel/schema/index.ts'
import { Database, migrate, statement } from './server/src/kernel/sql/index.ts'
import { createApplication, createOrganization } from './server/src/settings/index.ts'
import { fill } from './bench/fill.ts'
import { exportJob } from './server/src/crm/exports/run-export.ts'
import { databaseCpuSeconds, postmasterOf } from './bench/usage.ts'

const count = Number(process.argv[2] ?? 100000)
const dataDirectory = await mkdtemp(join(tmpdir(), 'lab-'))
const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
const database = new Database({ location: connection, connections: 4 })
try {
  await migrate(database)
  const secret = new Secret('x'.repeat(40))
  const { id: organizationId } = await createOrganization({ database, secret }, { name: 'Lab' })
  const apps = []
  for (let i = 0; i < 2; i++) apps.push((await createApplication({ database, secret }, { organizationId, name: `A${i}`, rateRead: 1, rateWrite: 1 })).id)
  const t0 = performance.now()
  await database.script(`drop index contacts_search_names, contacts_search_contact_data, contacts_search_words, contacts_search_custom_fields, contacts_newest`).catch(async e => { console.log(String(e)); })
  await database.script(`insert into contacts (organization_id, id, version, created_at, updated_at, created_by_application_id, first_name,
        middle_name, last_name, job_title, description, source, contact_data, custom_fields, tag_ids, search_names,
        search_contact_data, search_custom_fields)
      select '${organizationId}', (lpad(to_hex(1760000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid, 1, now(), now(), '${apps[0]}', 'Anna', case when n % 3 > 0 then 'Maria' end, 'Petrova-' || n, 'Buyer ' || n % 100,
             'Came by the form of the site; asked for the price list of season ' || n % 40 || '.', 'website',
             json_build_object(
               'phones', json_build_array(json_build_object('value', '+1202' || n, 'e164', '+1202' || n, 'label', 'mobile', 'isPrimary', true)),
               'emails', json_build_array(json_build_object('value', 'person.' || n || '@example.com', 'label', 'work', 'isPrimary', true)),
               'addresses', case when n % 5 > 0 then '[]'::json else json_build_array(json_build_object('label', null,
                 'country', 'US', 'region', null, 'city', 'Boston', 'postalCode', '02110', 'line1', n || ' Main Street',
                 'line2', null, 'isPrimary', true)) end,
               'messengers', '[]'::json, 'birthDate', null),
             '{}', '{}', '', '', '' from generate_series(1, ${count}) n`)
  await database.script(`insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
    select organization_id, '${apps[0]}', 'contact', false, 'crm-' || id, id, created_at from contacts`)
  await database.script('vacuum analyze')
  console.log('filled', ((performance.now() - t0) / 1000).toFixed(1))
  const services = createServices({ config: { dataDirectory }, database, secret, onFailure: (e, f) => console.log(e, f) })
  const postmaster = await postmasterOf(dataDirectory)
  const cost = async (name: string, work: () => Promise<unknown>) => {
    const [db, cpu, began] = [await databaseCpuSeconds(postmaster), process.cpuUsage(), performance.now()]
    await work()
    const used = process.cpuUsage(cpu)
    console.log(name, 'wall', ((performance.now() - began) / 1000).toFixed(2), 'own cpu', ((used.user + used.system) / 1e6).toFixed(2), 'db cpu', ((await databaseCpuSeconds(postmaster)) - db).toFixed(2))
  }
  const copy = `copy (select t.id, (select k.key from (select e.application_id, e.kind, e.gone, e.key from external_keys e
           where e.organization_id = t.organization_id and e.resource_id = t.id offset 0) as k
        where k.application_id = '${apps[0]}' and k.kind = 'contact' and not k.gone limit 1),
     t.first_name, t.middle_name, t.last_name, t.job_title, t.description, t.source, t.owner_uuid,
     ${[0, 1, 2].map(i => `t.contact_data->'phones'->${i}->>'value'`).join(', ')},
     ${[0, 1, 2].map(i => `t.contact_data->'emails'->${i}->>'value'`).join(', ')},
     ${['country', 'region', 'city', 'postalCode', 'line1', 'line2', 'label'].map(p => `t.contact_data->'addresses'->0->>'${p}'`).join(', ')},
     t.contact_data->>'birthDate', (select string_agg(g.name, ';') from tags g where g.organization_id = t.organization_id and g.id = any(t.tag_ids))
    from contacts t where t.organization_id = '${organizationId}' and t.anonymized_at is null order by t.id) to stdout with csv`
  let peak = 0
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss) }, 20)
  for (let round = 0; round < 2; round++) {
    await cost('copy', () => database.script(copy))
    const id = newId()
    await database.search(statement('lab_' + round, `insert into exports (organization_id, id, application_id, idempotency_key, fingerprint, type, csv_safe, filters, redacted, status, file_name, created_at)
      values ($1,$2,$3,$4,'x','contacts',false,'{}','{}','queued','x.csv',now())`), [organizationId, id, apps[0], id])
    await cost('export', async () => console.log(await exportJob.run({ exportId: id }, { organizationId, services, signal: new AbortController().signal, attempt: 1, isLastAttempt: false })))
    const [row] = await database.search(statement('lab_row' + round, 'select status, rows_written, size_bytes from exports where id=$1'), [id])
    console.log(row, 'peak MB', peak / 1e6)
  }
  clearInterval(timer)
} finally {
  await database.close()
  await stop()
  await rm(dataDirectory, { recursive: true, force: true })
}
process.exit(0)
