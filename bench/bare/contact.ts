import { uuidv7 } from 'uuidv7'

/** The caller of a request: the product derives it from the token; here two headers contain it. */
export interface Caller {
  readonly organizationId: string
  readonly applicationId: string
  readonly idempotencyKey: string
}

interface ContactData {
  readonly phones?: readonly { readonly value: string; readonly label?: string; readonly isPrimary?: boolean }[]
  readonly emails?: readonly { readonly value: string; readonly label?: string; readonly isPrimary?: boolean }[]
}

/** The part of a request body that the bench sends. It is not validated. */
export interface ContactBody {
  readonly externalId?: string
  readonly expectedVersion?: number
  readonly firstName?: string
  readonly lastName?: string
  readonly jobTitle?: string
  readonly description?: string
  readonly source?: string
  readonly contactData?: ContactData
}

/** A row of `contacts` to insert, and its key. */
export function newRow(body: ContactBody, caller: Caller, now: string) {
  const { phones = [], emails = [] } = body.contactData ?? {}
  return {
    organization_id: caller.organizationId,
    id: uuidv7(),
    version: 1,
    created_at: now,
    updated_at: now,
    created_by_application_id: caller.applicationId,
    first_name: body.firstName ?? null,
    last_name: body.lastName ?? null,
    job_title: body.jobTitle ?? null,
    description: body.description ?? null,
    source: body.source ?? null,
    contact_data: {
      phones: phones.map(phone => ({ ...phone, e164: phone.value.replaceAll(/[^+\d]/gu, '') })),
      emails,
      addresses: [],
      messengers: [],
      birthDate: null,
    },
    custom_fields: {},
    tag_ids: [],
    search_names: `${body.firstName ?? ''} ${body.lastName ?? ''}`.toLowerCase(),
    search_contact_data: [...emails, ...phones.map(({ value }) => ({ value: value.replaceAll(/\D/gu, '') }))]
      .map(({ value }) => value)
      .join(' '),
    search_custom_fields: '',
    external_id: body.externalId ?? null,
  }
}

export type ContactRow = ReturnType<typeof newRow>

/** The row as an answer shows it: without the columns for search and internal use. */
export function shown({
  organization_id,
  search_names,
  search_contact_data,
  search_custom_fields,
  ...row
}: ContactRow) {
  return row
}

/** The audit entry: every field of the request, before and after. */
export function auditChanges(body: ContactBody, before: Readonly<Record<string, unknown>> | null): unknown[] {
  const { expectedVersion, ...fields } = body
  return Object.entries(fields)
    .filter(([field]) => before === null || field !== 'externalId')
    .map(([field, after]) => ({ field, before: before?.[columns[field] ?? ''] ?? null, after }))
}

const columns: Readonly<Record<string, string>> = {
  jobTitle: 'job_title',
  description: 'description',
  source: 'source',
}
