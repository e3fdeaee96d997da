import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bounds, writeCursor } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { findRequests } from '../../server/src/requests/index.ts'
import { csv, importFile } from '../conformance/support/imports.ts'
import { aContact } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { testChosenLists } from './chosen-lists.ts'
import { callEveryOperation } from './every-operation.ts'
import { createdAt, fill, idOf, rare, rareFamily, rareWord, records } from './fill.ts'
import { amongFew, keyCheck, runsSeldom, sequentialScans } from './large-tables.ts'
import { executedPlan, genericPlan, indexesOf, type Plan, rowsRead } from './plan.ts'
import { testReadsOnRequest } from './reads-on-request.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

let api: RecordedApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startRecordedApi()
  organization = await anOrganization(api)
  await fill(api.test.database, organization)
}, 180_000)
afterAll(() => api.close())

const isPrepared = ({ pool, statement: { name } }: Sent) => pool === 'points' && name !== ''
const isSave = ({ statement: { name } }: Sent) => name.startsWith('save_')

/** Cursors as the server would have given them in the middle of the records and of the feed. */
function cursorAt(plural: string, kind: Parameters<typeof idOf>[0]): string {
  return cursorOf(plural, { createdAt: createdAt(records / 2), id: idOf(kind, records / 2) })
}
const feedCursorAt = (seq: number) => cursorOf('changes', { seq })

function cursorOf(list: string, position: Parameters<typeof writeCursor>[2]): string {
  const route = `/api/v1/crm/${list}`
  return writeCursor(
    api.services.secret,
    { entry: 'api', organizationId: organization.id, route, filters: {} },
    position,
  )
}

interface Expected {
  /** Records in the answer. */
  readonly items: number
  /** Pages that may be touched in all, some per record in the answer and some per level of an index. */
  readonly pages: number
}

/** Calls the API, and checks how each of the statements that read many rows went. */
async function expectPlans(path: string, { items, pages }: Expected): Promise<Plan[]> {
  const sent = await api.recorded(async () => {
    const answer = await organization.client.get(path)
    expect([answer.status, answer.items.length]).toEqual([200, items])
  })
  // A list asks what PostgreSQL expects. That executes nothing.
  const executed = sent.filter(({ statement: { text } }) => !/^explain /mu.test(text))
  const plans = await Promise.all(executed.map(each => executedPlan(api.test.database, each)))
  expect(plans.flatMap(sequentialScans)).toEqual([])
  expect(Math.max(...plans.map(plan => plan.pages))).toBeLessThanOrEqual(pages)
  return plans
}

for (const [plural, kind] of [
  ['contacts', 'contact'],
  ['companies', 'company'],
  ['deals', 'deal'],
  ['tasks', 'task'],
] as const) {
  describe(`among ${records.toLocaleString('en')} ${plural}`, () => {
    const page = { items: 50, pages: 1000 }

    test('the first page touches the records that it shows', () => expectPlans(`/${plural}`, page))

    test('a page from the middle costs no more', () => expectPlans(`/${plural}?cursor=${cursorAt(plural, kind)}`, page))

    test('one is found by its key', () => expectPlans(`/${plural}?externalId=${kind}-${rare}`, { items: 1, pages: 40 }))

    test('one is read by its id', () => expectPlans(`/${plural}/${idOf(kind, rare)}`, { items: 0, pages: 40 }))

    test('a rare word is found through the index', () =>
      expectPlans(`/${plural}?search=${rareWord}`, { items: 1, pages: 150 }))

    test('an unknown word finds nothing', () => expectPlans(`/${plural}?search=nowhere`, { items: 0, pages: 150 }))

    // Each tenth record has it: the newest are looked through until the page is full.
    test('a frequent word stops at a full page', () =>
      expectPlans(`/${plural}?search=petrova`, { ...page, pages: 2000 }))

    test('a search for two words begins with the rarer one', () =>
      expectPlans(`/${plural}?search=${rareFamily}%20${rareWord}`, { items: 1, pages: 2500 }))

    test('a letter that most have stops at a full page', () => expectPlans(`/${plural}?search=a`, page))

    testChosenLists(plural, expectPlans)

    // No index knows one or two letters. A page looks for them in a bounded number of records, and not in an index that is
    // read to its end, through all organizations.
    test.each(['z', 'zb'])(
      'a search for the letters %s of one record reads a part of the records at a time',
      async letters => {
        const plans = await expectPlans(`/${plural}?search=${letters}`, { items: 0, pages: 1000 })
        expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.searchScan.most)
        expect(indexesOf(plans)).toContain(`${plural}_newest`)
        expect(indexesOf(plans)).not.toContain(`${plural}_search_names`)
        const found: unknown[] = []
        let cursor: unknown = ''
        for (let page = 0; cursor !== null; page += 1) {
          expect(page).toBeLessThanOrEqual(records / bounds.searchScan.most)
          const { items, meta } = await organization.client.get(
            `/${plural}?search=${letters}${cursor && `&cursor=${cursor}`}`,
          )
          found.push(...items.map(({ id }) => id))
          cursor = meta.nextCursor
        }
        expect(found).toEqual([idOf(kind, rare)])
      },
    )
  })
}

describe('a search of all kinds', () => {
  const email = `anna${rare + 1}@example.com`

  test.each([
    [rareWord, 4, 20_000],
    ['nowhere', 0, 20_000],
    [email, 1, 900],
    ['1@example.co', 20, 25_000],
    [`${rareFamily} ${rareWord}`, 20, 30_000],
    ['petrova', 20, 25_000],
    ['pertova ivnaov', 20, 40_000],
    ['pet', 20, 25_000],
    ['zb', 4, 6000],
    ['zbignew', 4, 20_000],
    ['qq', 0, 6000],
    // Frequent pieces and words, which no record has together.
    ['er ov va na an et tr ro', 0, 8000],
    ['pet xx', 0, 25_000],
    ['tradng chars tabels lmaps', 0, 40_000],
  ])('for %s reads no table from end to end', async (q, items, pages) => {
    // An index page is read for each word that may have been meant, and none of the tables for one that there is not.
    await expectPlans(`/search?q=${encodeURIComponent(q)}`, { items, pages })
  })

  // Whole words, parts, beginnings, and a mistake, of a word that a quarter of all deals has.
  test.each(['trading', 'rading', 'tr', 'tradng'])(
    'for %s, which many records have, takes a bounded number of them, and the newest are among them',
    async q => {
      const path = `/search?q=${q}&types=deal`
      const plans = await expectPlans(path, { items: 20, pages: 20_000 })
      const read = plans.flatMap(({ nodes }) => nodes.filter(({ table }) => table !== undefined))
      for (const { rows, removed } of read) expect(rows + removed).toBeLessThanOrEqual(bounds.searchScan.most + 1)
      const { items, meta } = await organization.client.get(path)
      expect(meta.truncated).toBe(true)
      expect(items.map(({ id }) => id)).toEqual(Array.from(items, (_, at) => idOf('deal', records - 4 * at)))
    },
  )

  test('for a word that many records have gives the newest 1,000 of them, page by page, each once', async () => {
    const found: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const path = `/search?q=trading&types=deal&limit=50${cursor && `&cursor=${cursor}`}`
      const { items, meta } = await organization.client.get(path)
      found.push(...items.map(({ id }) => id))
      cursor = meta.nextCursor
    }
    const newest = Array.from({ length: 1000 }, (_, at) => idOf('deal', records - 4 * at))
    expect(found.slice(0, 1000)).toEqual(newest)
    expect(new Set(found).size).toBe(found.length)
  })

  test('for words that each record has ends within the bound', async () => {
    const { meta } = await organization.client.get('/search?q=tr%20ch%20ta%20la%20an%20fo%20no%20zz')
    expect(meta).toMatchObject({ nextCursor: null, truncated: true })
  })
})

test('a phone number is found through the index', async () => {
  await expectPlans(`/contacts?search=%2B${12_020_000_000 + rare * 37}`, { items: 1, pages: 400 })
  await expectPlans(`/companies?search=%2B${13_020_000_000 + rare * 37}`, { items: 1, pages: 400 })
})

describe('other reads among as many', () => {
  test.each([
    ['deals', 'deal', ['items', 'activities', 'files', 'events']],
    ['contacts', 'contact', ['activities', 'files']],
    ['companies', 'company', ['contacts', 'activities', 'files']],
    ['tasks', 'task', ['checklists', 'files']],
  ] as const)('what belongs to one of the %s is found alone', async (plural, kind, lists) => {
    for (const list of lists) await expectPlans(`/${plural}/${idOf(kind, rare)}/${list}`, { items: 1, pages: 40 })
  })

  testReadsOnRequest({ of: () => ({ api, organization }), expectPlans, feedCursorAt })

  test('a page of the change feed begins at its cursor', async () => {
    const { meta } = await organization.client.get(`/changes?after=${feedCursorAt(records / 2)}`)
    expect(meta.range).toMatchObject({ fromSeq: records / 2, matched: 50, filtered: 0 })
    await expectPlans(`/changes?after=${feedCursorAt(records / 2)}`, { items: 50, pages: 1000 })
  })

  test('a page of the audit log begins at its cursor, and looks no further than it may', async () => {
    const page = { items: 50, pages: 60 }
    await expectPlans('/audit', page)
    // Entries are filled with ids of their own.
    const middle = { id: idOf('deal', records / 2).replace(/^3/u, '4') }
    await expectPlans(`/audit?cursor=${cursorOf('audit', middle)}`, page)
    const plans = await expectPlans('/audit?action=nothing.happened', { items: 0, pages: 2000 })
    expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.auditScan.most)
    expect(indexesOf(plans)).toContain('audit_entries_pkey')
    expect(plans.flatMap(({ nodes }) => nodes).filter(({ type, rows }) => type === 'Sort' && rows > 101)).toEqual([])
  })

  test('the trail of a request is found through indexes', async () => {
    const sent = await api.recorded(async () => {
      const headers = { 'x-request-id': 'nightly/17' }
      expect((await organization.client.post('/contacts', aContact(), { headers })).status).toBe(201)
      const [found] = await findRequests(api.services, 'nightly/17')
      expect([found?.answers.length, found?.auditEntries.length, found?.changes.length]).toEqual([1, 1, 1])
    })
    const plans = await Promise.all(
      sent.filter(({ pool }) => pool === 'queries').map(each => executedPlan(api.test.database, each)),
    )
    expect(plans.length).toBe(3)
    // Days without answers may be read as they are.
    const scans = plans
      .flatMap(({ nodes }) => nodes)
      .filter(({ type, rows, removed }) => type === 'Seq Scan' && rows + removed > 0)
    expect(scans).toEqual([])
    expect(Math.max(...plans.map(({ pages }) => pages))).toBeLessThanOrEqual(200)
  })

  test('a place far down a stage is counted in the index alone', async () => {
    const sent = await api.recorded(async () => {
      const body = { expectedVersion: 1, stageUuid: organization.stages.first, position: records - 2 }
      expect((await organization.client.patch(`/deals/${idOf('deal', rare + 2)}/move`, body)).status).toBe(200)
    })
    const place = sent.find(({ statement: { name } }) => name === 'select_place')
    if (place === undefined) throw new Error('no place was looked for')
    const plan = await executedPlan(api.test.database, place)
    expect(plan.nodes.filter(({ index }) => index === 'deals_in_stage').map(({ type }) => type)).toContain(
      'Index Only Scan',
    )
    expect(plan.nodes.filter(({ type }) => type === 'Sort' || type === 'Incremental Sort')).toEqual([])
    expect(plan.pages).toBeLessThanOrEqual(records / 40)
  })

  test('capabilities are read from the tables only when the configuration is another one', async () => {
    const statementsOf = async () => {
      const sent = await api.recorded(async () => {
        expect((await organization.client.get('/capabilities')).status).toBe(200)
      })
      return sent.map(({ pool, statement: { name } }) => (pool === 'points' ? name : 'search'))
    }
    const reads = (statements: string[]) => statements.filter(name => name === 'search').length
    await statementsOf()
    expect(reads(await statementsOf())).toBe(0)
    await api.test.database.script(
      `update organizations set directory_version = directory_version + 1 where id = '${organization.id}'`,
    )
    expect(reads(await statementsOf())).toBe(1)
    expect(reads(await statementsOf())).toBe(0)
  })

  test('every statement of every operation that runs a prepared plan looks up by the whole key', async () => {
    const { database } = api.test
    const check = await keyCheck(database)
    const sent = await api.recorded(() => callEveryOperation(organization))
    const isChecked = (name: string) => !runsSeldom.has(name) && !amongFew.has(name)
    const breaches: Record<string, string[]> = {}
    for (const each of new Map(sent.filter(isPrepared).map(one => [one.statement.name, one])).values()) {
      const found = check(await genericPlan(database, each))
      if (found.length > 0 && isChecked(each.statement.name)) breaches[each.statement.name] = found
    }
    expect(breaches).toEqual({})
  })

  test('a batch looks up each of its keys and records once', async () => {
    // Eight look-ups for each deal, of three or four pages; to walk through the organization takes tens of thousands.
    const most = 4000
    const references = Array.from({ length: 100 }, (_, n) => ({ externalId: `deal-${n * 900 + 1}` }))
    const sent = await api.recorded(() => organization.client.post('/deals/batch/get', { items: references }))
    expect(sent.length).toBeGreaterThan(0)
    for (const each of sent) expect((await executedPlan(api.test.database, each)).pages).toBeLessThanOrEqual(most)

    const elements = references.map(reference => ({
      ...reference,
      title: 'Chairs',
      companies: [{ externalId: 'company-1' }],
    }))
    const written = await api.recorded(() => organization.client.post('/deals/batch/upsert', { items: elements }))
    expect(written.map(({ statement: { name } }) => name)).toContain('load_keys')
    for (const each of written.filter(one => !isSave(one))) {
      const { pages } = await executedPlan(api.test.database, each)
      expect({ name: each.statement.name, pages: Math.max(pages, most) }).toEqual({
        name: each.statement.name,
        pages: most,
      })
    }
  })

  test.each([
    ['contacts', { externalId: 0, email1: 1, phone1: 2, firstName: 3, lastName: 4, companyName: 5 }],
    ['companies', { externalId: 0, email1: 1, phone1: 2, taxId: 3, name: 5 }],
  ])(
    'the %s that rows of an import are about are looked up, each by each of its values',
    async (entityType, mapping) => {
      // A hundred rows with four look-ups each. Names are looked for among those with all of their words.
      const most = 12_000
      const rows = Array.from({ length: 100 }, (_, n) => {
        const number = n * 900 + 1
        const reached = [`anna${number}@example.com`, `+${12_020_000_000 + number * 37}`]
        return [`unknown-${number}`, ...reached, `T${number}`, rareWord, `Petrova Chairs ${number}`]
      })
      const table = csv(['a', 'b', 'c', 'd', 'e', 'f'], ...rows)
      const taxId = entityType === 'companies' ? ['taxId'] : []
      const matchBy = ['externalId', 'email', 'phone', ...taxId, 'name']
      const dedupPolicy = { strategy: 'update_only', matchBy }
      const sent = await api.recorded(() =>
        importFile(api, organization.client, table, { entityType, mapping, dedupPolicy }),
      )
      const lookups = sent.filter(({ statement: { name } }) => /^(?:find|select|lock|load)_/u.test(name))
      const found = lookups.map(({ statement: { name } }) => name).filter(name => name.startsWith('find_co'))
      expect(new Set(found)).toEqual(
        new Set(
          entityType === 'contacts'
            ? ['find_contacts_reached', 'find_contacts_named', 'find_companies_named']
            : ['find_companies_reached', 'find_companies_by_tax_id', 'find_companies_named'],
        ),
      )
      for (const each of lookups) {
        const plan = await executedPlan(api.test.database, each)
        const { name } = each.statement
        expect({ name, breaches: sequentialScans(plan), pages: Math.max(plan.pages, most) }).toEqual({
          ...{ name, breaches: [], pages: most },
        })
      }
    },
  )

  test.each([
    ['without a key', 20, { firstName: 0, lastName: 1 }],
    // All of these records have other keys.
    ['with a key of its own', 0, { firstName: 0, lastName: 1, externalId: 2 }],
  ])('a row %s looks for a frequent name in a bounded number of records', async (_, found, mapping) => {
    const table = csv(['first', 'last', 'key'], ['Anna', 'Petrova', 'unknown'])
    const dedupPolicy = { strategy: 'update_only', matchBy: ['name'] }
    const sent = await api.recorded(() => importFile(api, organization.client, table, { mapping, dedupPolicy }))
    const lookup = sent.find(({ statement: { name } }) => name === 'find_contacts_named')
    if (lookup === undefined) throw new Error('no name was looked for')
    const plan = await executedPlan(api.test.database, lookup)
    const limited = plan.nodes.filter(({ type }) => type === 'Limit').map(({ rows }) => rows)
    expect(new Set(limited)).toEqual(new Set([found, 1000]))
    expect(plan.pages).toBeLessThanOrEqual(5000)
  })

  test('erasing a person reads the rows about the person alone', async () => {
    const path = `/contacts/${idOf('contact', rare)}?expectedVersion=1&mode=full`
    // The deal has a company too, and so may lose its contact.
    const sent = await api.recorded(async () => expect((await organization.client.delete(path)).status).toBe(200))
    const names = sent.map(({ statement: { name, text } }) => name || text)
    // Whether the token is looked up depends on what was asked before.
    const isReading = /drop_|find_(?!token|application)|load_all_keys|lock_files|remove_parts/u
    const reading = names.filter(name => isReading.test(name))
    expect(new Set(reading).size).toBe(22)
    for (const each of sent.filter(one => !isSave(one))) {
      const plan = await executedPlan(api.test.database, each)
      expect({ breaches: sequentialScans(plan), pages: Math.max(plan.pages, 200) }).toEqual({
        breaches: [],
        pages: 200,
      })
    }
  })

  test('a search for mentions of a person reads the newest records of each kind', async () => {
    const path = `/contacts/${idOf('contact', rare + 1)}/delete/preview`
    const sent = await api.recorded(async () => {
      const { status, data } = await organization.client.get(path)
      expect([status, data.mentionsTruncated]).toEqual([200, true])
    })
    const searches = sent.filter(({ pool }) => pool === 'queries')
    expect(searches.length).toBe(11)
    for (const each of searches) {
      const plan = await executedPlan(api.test.database, each)
      // One more tells that there are more, and the person's own is left out.
      expect(rowsRead(plan)).toBeLessThanOrEqual(10_002)
      expect({ breaches: sequentialScans(plan), pages: Math.max(plan.pages, 1000) }).toEqual({
        breaches: [],
        pages: 1000,
      })
    }
  })

  test('no call failed inside', () => expect(api.failures).toEqual([]))
})

test('searches are planned for their own words: none stays prepared', async () => {
  const prepared = statement('test_prepared', 'select name, statement from pg_prepared_statements')
  expect(await api.services.database.search(prepared, [])).toEqual([])
})
