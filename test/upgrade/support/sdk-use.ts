import { Crm, CrmError, type FeedStep } from '../../../packages/sdk/src/index.ts'

type Row = { readonly externalId: string; readonly firstName: string; readonly lastName: string }

const row = (at: number, firstName: string): Row => ({ externalId: `person-${at}`, firstName, lastName: `No ${at}` })
const rows = (count: number, firstName: string) => Array.from({ length: count }, (_, at) => row(at, firstName))

/** What became of a row: the status, and the code of its error. */
type Outcome = readonly [status: number, code: string | undefined]

/** What an integrator sees who uses the SDK with a server of an earlier release. */
export interface SdkUse {
  readonly written: readonly Outcome[]
  readonly repeated: readonly Outcome[]
  readonly withVersions: readonly Outcome[]
  /** The descriptions of one contact, after two changes at the same time. */
  readonly changed: readonly (string | null | undefined)[]
  readonly names: readonly string[]
  readonly missing: string
  /** The types of the events that were followed, and the numbers between the first and the last one. */
  readonly events: readonly string[]
  readonly numbers: readonly number[]
}

/** Uses the SDK as docs/sdk.md shows it. `url` and `token` are those of an organization in which nobody else writes. */
export async function useSdk(url: string, token: string): Promise<SdkUse> {
  const crm = new Crm({ url, token })
  const { cursor } = await crm.changes.cursor()
  const written = await outcomesOf(crm.contacts.upsertAll(rows(250, 'Anna'), { run: 'first' }))
  const repeated = await outcomesOf(crm.contacts.upsertAll(rows(2, 'Berta'), { run: 'second' }))
  const found = await crm.contacts.batchGet({ items: [{ externalId: 'person-0' }, { externalId: 'person-1' }] })
  const versioned = found.map(({ data }, at) => ({ ...row(at, 'Berta'), expectedVersion: data?.version ?? 0 }))
  const withVersions = await outcomesOf(crm.contacts.upsertAll(versioned, { run: 'third', overwrite: false }))

  const id = found[0]?.data?.id ?? ''
  const add = (word: string) =>
    crm.contacts.change(id, ({ description }) => ({ description: `${description ?? ''}${word}` }))
  await Promise.all([add('A'), add('B')])
  const { description } = await crm.contacts.get(id)
  const names: string[] = []
  for await (const { firstName } of crm.contacts.list({ limit: 100 })) names.push(firstName ?? '')
  const missing = await crm.contacts.get(crypto.randomUUID()).catch((error: unknown) => error)

  const events: FeedStep<{ readonly seq: number; readonly kind: string }>['events'][number][] = []
  for await (const step of crm.changes.follow(cursor)) {
    events.push(...step.events)
    if (events.length >= 254) break
  }
  return {
    written,
    repeated,
    withVersions,
    changed: [...(description ?? '')].toSorted(),
    names,
    missing: CrmError.is(missing) ? missing.code : String(missing),
    events: events.map(({ kind }) => kind),
    numbers: events.map(({ seq }) => seq - (events[0]?.seq ?? 0)),
  }
}

async function outcomesOf(
  results: AsyncIterable<{ readonly status: number; readonly error?: { readonly code: string } | undefined }>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for await (const { status, error } of results) outcomes.push([status, error?.code])
  return outcomes
}
