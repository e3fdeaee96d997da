import { type Database, statement } from '../server/src/kernel/sql/index.ts'

// Contacts of a year, in the order of their ids like contacts that were created one by one: a third without middle name, a fifth with an
// address, all with a phone and an e-mail address, and with the search texts that the product computes.
const fillContacts = statement(
  'bench_fill_contacts',
  `with made as materialized (
      select n,
             ($3::uuid[])[1 + n % cardinality($3::uuid[])] as application_id,
             date_trunc('milliseconds', now() - interval '365 days' * (1 - n::float8 / $2::integer)) as at,
             md5($1::uuid::text || n) as noise,
             ('{Anna,Boris,Carla,Dmitri,Elena,Farid,Greta,Hugo,Irina,Jonas,Katya,Lars}'::text[])[1 + n % 12] as first_name,
             ('{Petrova,Smith,Garcia,Ivanov,Keller,Novak,Okafor,Rossi,Sato,Weber}'::text[])[1 + n / 12 % 10]
               || '-' || to_hex(n) as last_name,
             case when n % 3 > 0 then 'Maria' end as middle_name,
             '+1' || (2_000_000_000 + n * 7919::bigint % 7_999_999_999)::text as phone,
             'person.' || n || '@' || ('{example.com,example.org,example.net}'::text[])[1 + n % 3] as email
        from generate_series($4::integer, $5::integer) as n),
    rows as materialized (
      select made.*,
             (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8'
               || substr(noise, 4, 15))::uuid as id
        from made),
    contact as (
      insert into contacts (organization_id, id, version, created_at, updated_at, created_by_application_id, first_name,
        middle_name, last_name, job_title, description, source, contact_data, custom_fields, tag_ids, search_names,
        search_contact_data, search_custom_fields)
      select $1, id, 1, at, at, application_id, first_name, middle_name, last_name, 'Buyer ' || n % 100,
             'Came by the form of the site; asked for the price list of season ' || n % 40 || '.', 'website',
             json_build_object(
               'phones', json_build_array(json_build_object('value', phone, 'e164', phone, 'label', 'mobile', 'isPrimary', true)),
               'emails', json_build_array(json_build_object('value', email, 'label', 'work', 'isPrimary', true)),
               'addresses', case when n % 5 > 0 then '[]'::json else json_build_array(json_build_object('label', null,
                 'country', 'US', 'region', null, 'city', 'Boston', 'postalCode', '02110', 'line1', n || ' Main Street',
                 'line2', null, 'isPrimary', true)) end,
               'messengers', '[]'::json, 'birthDate', null),
             '{}', '{}', lower(concat_ws(' ', first_name, middle_name, last_name)), email || ' ' || ltrim(phone, '+'), ''
        from rows),
    event as (
      insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version, changed_fields,
        occurred_at, actor_type, application_id, request_id, transaction_id)
      select $1, f.seq + 1 + n - $4::integer, rows.id, 'contact.created', 'contact', rows.id, 'created', 1, '{}', at,
             'application', application_id, rows.id, rows.id
        from rows
        join organization_feed f on f.organization_id = $1),
    entry as (
      insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, application_id,
        actor_type, request_id, version_after, changes)
      select $1, id, at, 'contact', id, 'contact.created', application_id, 'application', id, 1,
             json_build_array(
               json_build_object('field', 'firstName', 'before', null, 'after', first_name),
               json_build_object('field', 'lastName', 'before', null, 'after', last_name),
               json_build_object('field', 'externalId', 'before', null, 'after', 'crm-' || n),
               json_build_object('field', 'contactData', 'guard', 'contact_data', 'before', null, 'after',
                 json_build_object('emails', json_build_array(json_build_object('value', email, 'label', 'work'))))
             )
        from rows),
    feed as (
      update organization_feed f
         set seq = f.seq + (select count(*) from rows), last_changes_seq = f.last_changes_seq + (select count(*) from rows)
       where f.organization_id = $1),
    last_change as (
      insert into last_changes (organization_id, kind, updated_at, resource_id) select $1, 'contact', at, id from rows)
    insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
    select $1, application_id, 'contact', false, 'crm-' || n, id, at from rows`,
)

const portion = 2000

/** Adds contacts to an organization, each with the key of one of the applications in turn, an event and an audit entry. */
export async function fill(
  database: Database,
  organizationId: string,
  applicationIds: readonly string[],
  contacts: number,
): Promise<void> {
  // In portions, because a statement of the product is limited to 30 s.
  for (let first = 0; first < contacts; first += portion) {
    const last = Math.min(first + portion, contacts) - 1
    await database.search(fillContacts, [organizationId, contacts, applicationIds, first, last])
  }
}
