import { type Database, statement } from '../../../server/src/kernel/sql/index.ts'

/** A row of the table of positions after one change, or a row that was stored beside it. In the order in which they were written. */
export interface Written {
  /** The worker, by the name of its connections. */
  readonly worker: string
  readonly webhook: string
  readonly table: string
  /** `token`, `settledSeq` and `holes` stand in rows of positions alone. */
  readonly token: number
  readonly settledSeq: number
  readonly holes: Buffer
  /** When its statement began, in milliseconds. */
  readonly begun: number
}

const tables = `
  create table written (
    number bigint generated always as identity primary key, worker text not null, webhook uuid not null, written_in text not null,
    token bigint, settled_seq bigint, holes bytea, begun timestamptz not null default now());
  create function note_position() returns trigger language plpgsql as $$ begin
    insert into written (worker, webhook, written_in, token, settled_seq, holes)
    values (current_setting('application_name'), new.subscription_id, tg_table_name, new.token, new.settled_seq, new.holes);
    return null; end $$;
  create function note_row() returns trigger language plpgsql as $$ begin
    insert into written (worker, webhook, written_in)
    values (current_setting('application_name'), coalesce(new.subscription_id, old.subscription_id), tg_table_name);
    return null; end $$;
  create trigger noted after insert or update on webhook_positions for each row execute function note_position();
  create trigger noted after insert or update or delete on webhook_parked for each row execute function note_row();
  create trigger noted after insert or update or delete on webhook_runs for each row execute function note_row();
  create trigger noted after insert or update or delete on webhook_failures for each row execute function note_row()`

const select = statement(
  'crash_select_written',
  `select w.worker, w.webhook, w.written_in, w.token::integer as token, w.settled_seq::integer as settled_seq, w.holes,
          (extract(epoch from w.begun) * 1000)::double precision as begun
     from written w order by w.number`,
)

const selectHolders = statement(
  'crash_select_holders',
  `select distinct on (w.webhook) w.webhook, w.worker
     from written w where w.written_in = 'webhook_positions' order by w.webhook, w.token desc, w.number`,
)

/** Notes from now on which worker writes what of deliveries, in the transaction that writes it. */
export async function noteWrites(database: Database): Promise<void> {
  await database.script(tables)
}

/** Everything that was written, oldest first. */
export async function writesIn(database: Database): Promise<Written[]> {
  const rows = await database.search(select, [])
  return rows.map(row => ({
    worker: String(row.worker),
    webhook: String(row.webhook),
    table: String(row.written_in),
    token: Number(row.token),
    settledSeq: Number(row.settled_seq),
    holes: Buffer.isBuffer(row.holes) ? row.holes : Buffer.alloc(0),
    begun: Number(row.begun),
  }))
}

/** The worker that has taken each webhook last. */
export async function holders(database: Database): Promise<Map<string, string>> {
  const rows = await database.search(selectHolders, [])
  return new Map(rows.map(({ webhook, worker }) => [String(webhook), String(worker)]))
}

/** Whether a number is done according to a position. */
export function isDone({ settledSeq, holes }: Pick<Written, 'settledSeq' | 'holes'>, seq: number): boolean {
  if (seq <= settledSeq) return true
  const place = seq - settledSeq - 1
  return (((holes[place >> 3] ?? 0) >> (place & 7)) & 1) === 1
}
