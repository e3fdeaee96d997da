import type { Crm } from 'crm-sdk'
import type { CompanyUpsert, ContactUpsert, DealUpsert, TaskUpsert } from 'crm-sdk/schemas'
import type { RecordToSend } from './record-of-row.rules.ts'
import type { RowKind } from './shape.ts'
import { type RowResult, writeEach } from './write-each.ts'

export interface Sending {
  readonly run: string
  readonly overwrite: boolean
}

/** A row of any kind. */
type AnyUpsert = ContactUpsert & CompanyUpsert & DealUpsert & TaskUpsert

/** Writes rows of a kind, in batches where it has them. Yields what became of each, in order. */
export function sendRows(
  kind: RowKind,
  crm: Crm,
  rows: AsyncIterable<RecordToSend>,
  sending: Sending,
): AsyncGenerator<RowResult, void, undefined> {
  if (kind !== 'companies') return crm[kind].upsertAll(asUpserts(rows), sending)
  const { overwrite } = sending
  return writeEach(
    (row, idempotencyKey) => {
      if (!isUpsert(row)) throw new TypeError('a row has no key')
      return crm.companies.upsert(row, { overwrite }, { idempotencyKey })
    },
    rows,
    { ...sending, kind },
  )
}

async function* asUpserts(rows: AsyncIterable<RecordToSend>): AsyncGenerator<AnyUpsert, void, undefined> {
  for await (const row of rows) if (isUpsert(row)) yield row
}

/** The server judges the other members: a row is made by the shapes of its document. */
function isUpsert(row: RecordToSend): row is RecordToSend & AnyUpsert {
  return row.externalId !== ''
}
