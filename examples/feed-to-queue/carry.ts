import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'

/** The queue, and how far it has come. */
const tables = `
  create table if not exists crm_messages (number bigint generated always as identity primary key, body jsonb not null);
  create table if not exists crm_position (one boolean primary key default true check (one), cursor text not null)`

/**
 * One statement adds a page and moves the position, so each event is in the queue exactly once. If two programs have read the same page,
 * only the one that finds the position where the page begins adds it.
 */
const addPage = `
  with moved as (update crm_position set cursor = $2 where cursor = $1 returning cursor)
  insert into crm_messages (body)
  select event from moved, jsonb_array_elements($3::jsonb) with ordinality as page (event, place) order by place`

export type Feed = { baseUrl: string; token: string }

/**
 * Adds all later events to the queue, from the first run on, until `stop`. Throws when the feed refuses: at 410 its events are gone. Then
 * delete the row of crm_position, begin again, and list all records.
 */
export async function carry(feed: Feed, pool: Pool, stop: AbortSignal): Promise<void> {
  await pool.query(tables)
  const { data } = await read(feed, '/changes/cursor', stop)
  await pool.query('insert into crm_position (cursor) values ($1) on conflict do nothing', [data.cursor])
  while (!stop.aborted) {
    const { rows } = await pool.query('select cursor from crm_position')
    const { cursor } = rows[0]
    const { data, meta } = await read(feed, `/changes?limit=100&wait=20&after=${encodeURIComponent(cursor)}`, stop)
    await pool.query(addPage, [cursor, meta.nextCursor, JSON.stringify(data)])
  }
}

/** Repeats the request while the network fails, the server restarts or a limit is reached. */
async function read(feed: Feed, path: string, stop: AbortSignal) {
  for (;;) {
    const { status, text, retryAfter } = await ask(feed, path, stop)
    // A success has Retry-After if too many requests of the organization wait already.
    if (status === 200 && retryAfter === null) return JSON.parse(text)
    if (status >= 400 && status < 500 && status !== 429) throw new Error(text)
    await pause(1000 * Number(retryAfter ?? 1), undefined, { signal: stop })
  }
}

async function ask({ baseUrl, token }: Feed, path: string, stop: AbortSignal) {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(60_000)])
    const answer = await fetch(`${baseUrl}/api/v1/crm${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    })
    return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') }
  } catch {
    stop.throwIfAborted()
    return { status: 503, text: '', retryAfter: null }
  }
}
