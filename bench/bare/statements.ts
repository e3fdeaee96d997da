// The database work of one request: a write loads and locks the rows that it changes or that have its keys, and saves in one statement the
// rows that the product writes for it, with a number from the same feed. The lock of the feed is taken last here too; taken first, it would
// be held for the whole statement.

export interface NamedStatement {
  readonly name: string
  readonly text: string
}

const shownColumns = `c.id, c.version, c.created_at, c.updated_at, c.created_by_application_id, c.created_by_uuid,
  c.updated_by_uuid, c.anonymized_at, c.first_name, c.middle_name, c.last_name, c.job_title, c.description, c.source,
  c.owner_uuid, c.contact_data, c.custom_fields, c.tag_ids`

const externalId = `(select k.key from external_keys k
   where k.organization_id = $1 and k.resource_id = c.id and k.application_id = $2 and k.kind = 'contact' and not k.gone
  ) as external_id`

/** $1 organization, $2 application, $3 id */
export const getContact: NamedStatement = {
  name: 'bare_get',
  text: `select ${shownColumns}, ${externalId} from contacts c where c.organization_id = $1 and c.id = $3`,
}

/** $1 organization, $2 application, $3 limit */
export const listContacts: NamedStatement = {
  name: 'bare_list',
  text: `select ${shownColumns}, ${externalId} from contacts c
    where c.organization_id = $1 and c.anonymized_at is null
    order by c.created_at desc, c.id desc limit $3`,
}

/** $1 organization, $2 application, $3 number before the page, $4 limit */
export const listChanges: NamedStatement = {
  name: 'bare_list_changes',
  text: `select c.id, c.seq, c.kind, c.resource_type, c.resource_id, c.operation, c.version, c.changed_fields,
      c.merged_into_id, c.merged_from_id, c.occurred_at, c.actor_type, c.actor_uuid, c.application_id, c.request_id,
      c.job_id, c.transaction_id,
      (select k.key from external_keys k
        where k.organization_id = $1 and k.resource_id = c.resource_id and k.application_id = $2 and not k.gone
      ) as external_id
    from changes c where c.organization_id = $1 and c.seq > $3 order by c.seq limit $4`,
}

/** $1 organization, $2 limit */
export const listAudit: NamedStatement = {
  name: 'bare_list_audit',
  text: `select e.id, e.occurred_at, e.resource_type, e.resource_id, e.action, e.application_id, e.token_id, e.address_class,
      e.actor_type, e.actor_uuid, e.request_id, e.version_before, e.version_after, e.changes, e.job_id
    from audit_entries e where e.organization_id = $1 order by e.id desc limit $2`,
}

/**
 * $1 organization, $2 application, $3 id, $4 now, $5 first name, $6 last name, $7 job title, $8 description, $9 source,
 * $10 contact data, $11 and $12 search texts, $13 external key, $14 audited changes, $15 idempotency key, $16 answer,
 * $17 request, $18 transaction, $19 audit entry, $20 event
 */
export const createContact: NamedStatement = {
  name: 'bare_create',
  text: `with contact as (
      insert into contacts (organization_id, id, version, created_at, updated_at, created_by_application_id, first_name,
        last_name, job_title, description, source, contact_data, custom_fields, tag_ids, search_names,
        search_contact_data, search_custom_fields)
      values ($1, $3, 1, $4, $4, $2, $5, $6, $7, $8, $9, $10, '{}', '{}', $11, $12, '') returning 1),
    key as (
      insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
      values ($1, $2, 'contact', false, $13, $3, $4) returning 1),
    audit as (
      insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, application_id,
        actor_type, request_id, version_after, changes)
      values ($1, $19, $4, 'contact', $3, 'contact.created', $2, 'application', $17, 1, $14) returning 1),
    answer as (
      insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body,
        person_ids)
      values ($1, $2, $15, sha256('bare'), $4, 201, $16, array[$3::uuid]) returning 1),
    feed as (
      update organization_feed f set seq = f.seq + 1
       where f.organization_id = $1 and (select count(*) from contact, key, audit, answer) = 1
      returning f.seq)
    insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version, changed_fields,
      occurred_at, actor_type, application_id, request_id, transaction_id)
    select $1, feed.seq, $20, 'contact.created', 'contact', $3, 'created', 1, '{}', $4, 'application', $2, $17, $18
      from feed`,
}

/** $1 organization, $2 application, $3 id */
export const lockContact: NamedStatement = {
  name: 'bare_lock',
  text: `${getContact.text} for no key update of c`,
}

/**
 * $1 organization, $2 application, $3 id, $4 now, $5 version after, $6 job title, $7 description, $8 idempotency key,
 * $9 request, $10 transaction, $11 audit entry, $12 event, $13 audited changes, $14 answer
 */
export const patchContact: NamedStatement = {
  name: 'bare_patch',
  text: `with contact as (
      update contacts c set version = $5, updated_at = $4, job_title = $6, description = $7
       where c.organization_id = $1 and c.id = $3
      returning 1),
    audit as (
      insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, application_id,
        actor_type, request_id, version_before, version_after, changes)
      values ($1, $11, $4, 'contact', $3, 'contact.updated', $2, 'application', $9, $5 - 1, $5, $13) returning 1),
    answer as (
      insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body,
        person_ids)
      values ($1, $2, $8, sha256('bare'), $4, 200, $14, array[$3::uuid]) returning 1),
    feed as (
      update organization_feed f set seq = f.seq + 1
       where f.organization_id = $1 and (select count(*) from contact, audit, answer) = 1
      returning f.seq)
    insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version,
      changed_fields, occurred_at, actor_type, application_id, request_id, transaction_id)
    select $1, feed.seq, $12, 'contact.updated', 'contact', $3, 'updated', $5, '{jobTitle,description}', $4,
      'application', $2, $9, $10
      from feed`,
}

/** $1 organization, $2 application, $3 keys */
export const findByKeys: NamedStatement = {
  name: 'bare_find_by_keys',
  text: `select ${shownColumns}, k.key as external_id
    from external_keys k join contacts c on c.organization_id = $1 and c.id = k.resource_id
   where k.organization_id = $1 and k.application_id = $2 and k.kind = 'contact' and not k.gone
     and k.key = any ($3::text[])
     for no key update of c`,
}

/**
 * $1 organization, $2 application, $3 now, $4 new rows, $5 changed rows, $6 audit entries, $7 events, $8 number of events,
 * $9 idempotency key, $10 answer, $11 persons. Returns how many rows were changed.
 */
export const saveBatch: NamedStatement = {
  name: 'bare_save_batch',
  text: `with made as (
      insert into contacts select r.* from json_populate_recordset(null::contacts, $4::json) as r returning id),
    changed as (
      update contacts c
         set version = c.version + 1, updated_at = $3, job_title = r.job_title, description = r.description
        from json_to_recordset($5::json) as r(id uuid, version bigint, job_title text, description text)
       where c.organization_id = $1 and c.id = r.id and c.version = r.version
      returning 1),
    keys as (
      insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
      select $1, $2, 'contact', false, r.external_id, r.id, $3
        from json_to_recordset($4::json) as r(id uuid, external_id text) returning 1),
    audit as (
      insert into audit_entries select r.* from json_populate_recordset(null::audit_entries, $6::json) as r returning 1),
    answer as (
      insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body,
        person_ids)
      values ($1, $2, $9, sha256('bare'), $3, 200, $10, $11) returning 1),
    counts as (
      select (select count(*) from made) + (select count(*) from keys) + (select count(*) from audit)
        + (select count(*) from answer) as written, (select count(*) from changed) as changed),
    feed as (
      update organization_feed f set seq = f.seq + $8::bigint
        from counts
       where f.organization_id = $1 and counts.written > 0
      returning f.seq),
    published as (
      insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version,
        changed_fields, occurred_at, actor_type, application_id, request_id, transaction_id)
      select $1, feed.seq - $8::bigint + 1 + r.ordinal, r.id, r.kind, 'contact', r.resource_id, r.operation, r.version,
        r.changed_fields, $3, 'application', $2, r.request_id, r.transaction_id
        from feed, json_to_recordset($7::json) as r(ordinal bigint, id uuid, kind text, resource_id uuid, operation text,
          version bigint, changed_fields text[], request_id uuid, transaction_id uuid)
      returning 1)
    select counts.changed::integer as changed, (select count(*) from published) as published from counts`,
}
