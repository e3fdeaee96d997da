import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { dealEvents } from './support/deals.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, outcome } from './support/requests.ts'

const given = useApi()

let withDinar: Promise<TestOrganization> | undefined

/** An organization that trades in USD (by default), EUR, JPY without and KWD with three digits. */
function anOrganization(): Promise<TestOrganization> {
  withDinar ??= given.organization().then(async organization => {
    const text = `update organizations set currencies = '{USD,EUR,JPY,KWD}' where id = $1`
    await given.configure(organization, text, [organization.id])
    return organization
  })
  return withDinar
}

async function create(members: JsonObject) {
  const organization = await anOrganization()
  const { amount: _, ...body } = await aBody('deal', organization)
  return organization.client.post('/deals', { ...body, ...members })
}

/** Sends a number as it is written here: JSON.stringify would shorten it first. */
async function createWithNumber(number: string) {
  const organization = await anOrganization()
  const { amount: _, ...body } = await aBody('deal', organization)
  return organization.client.post('/deals', body, {
    raw: JSON.stringify({ ...body, amount: 0 }).replace('"amount":0', `"amount":${number}`),
  })
}

describe('amount of a deal', () => {
  it.each([
    ['1500', '1500.00'],
    ['1500.5', '1500.50'],
    ['1500.50', '1500.50'],
    ['1500.500000', '1500.50'],
    ['0', '0.00'],
    ['0.00', '0.00'],
    ['0.01', '0.01'],
    ['999999999999999.99', '999999999999999.99'],
  ])('%j is shown as %j', async (amount, shown) => {
    const { status, data } = await create({ amount })
    expect([status, data.amount, data.currency]).toEqual([201, shown, 'USD'])
  })

  it.each([
    '-1',
    '+1',
    '01',
    '00',
    '1.',
    '.5',
    '1e3',
    '1,000',
    '1 000',
    ' 1',
    '1\n',
    '',
    '$1',
    '٣',
    'NaN',
    'Infinity',
    '0x10',
    '1000000000000000',
    '1.0000001',
  ])('%j is refused: 400', async amount => {
    const answer = await create({ amount })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/amount']])
  })

  it.each([
    ['1500', '1500.00'],
    ['1500.5', '1500.50'],
    ['0', '0.00'],
    ['0.1', '0.10'],
    ['1.5e3', '1500.00'],
    ['123456789012345', '123456789012345.00'],
    ['1234567890123.25', '1234567890123.25'],
  ])('the JSON number %s is shown as %j', async (number, shown) => {
    const { status, data } = await createWithNumber(number)
    expect([status, data.amount]).toEqual([201, shown])
  })

  it.each([
    ...['-1', '-0.01', '1234567890123456', '12345678901234.56', '1e21', '1e15', '1e-7', '0.1234567', '1e400'],
    ...['1e-400', '1.10000000000000000001', '100000000000000.000001', '0.30000000000000001', '-1e-400'],
  ])('the JSON number %s is refused, never rounded: 400', async number => {
    const answer = await createWithNumber(number)
    const messages = Array.isArray(answer.details.issues) && answer.details.issues.map(({ message }) => message)
    expect([outcome(answer), issuePaths(answer), messages]).toEqual([
      '400 validation_error',
      ['/amount'],
      [expect.stringContaining('A decimal string such as "1500.00" is expected')],
    ])
  })

  it.each(['1500.0000000000000000', '15e2', '0.15e4', '1500000e-3', '-0', '0e9'])(
    'the JSON number %s is exact however it is written',
    async number => {
      expect((await createWithNumber(number)).data.amount).toMatch(/^(1500|0)\.00$/u)
    },
  )

  it('as a number in PATCH, upsert and batch is judged by how it is written too', async () => {
    const organization = await anOrganization()
    const { client } = organization
    const { id, externalId } = await aRecord('deal', organization)
    const send = (path: string, body: string) =>
      client.call(path.endsWith(String(id)) ? 'PATCH' : 'POST', path, undefined, { raw: body })
    const members = (number: string) =>
      `"externalId": ${JSON.stringify(externalId)}, "expectedVersion": 1, "amount" : ${number}`
    const patched = await send(`/deals/${id}`, `{${members('1e-400')}}`)
    const upserted = await send('/deals/upsert', `{${members('1.10000000000000000001')}}`)
    for (const answer of [patched, upserted]) expect(issuePaths(answer)).toEqual(['/amount'])
    const { items } = await send('/deals/batch/upsert', `{"items": [{${members('0.1e-399')}}, {${members('7.50')}}]}`)
    expect(items.map(({ status }) => status)).toEqual([400, 422])
    const { items: exact } = await send('/deals/batch/upsert', `{"items": [{${members('7.50')}}]}`)
    expect(exact[0]).toMatchObject({ status: 200, data: { amount: '7.50' } })
  })

  it.each([true, [], {}, ['1']])('%j is refused: 400', async amount => {
    expect(outcome(await create({ amount }))).toBe('400 validation_error')
  })

  it('is null when absent or null, and so is the currency then', async () => {
    expect((await create({})).data).toMatchObject({ amount: null, currency: null, itemsTotal: '0.00' })
    expect((await create({ amount: null })).data).toMatchObject({ amount: null, currency: null })
  })

  it.each([
    ['USD', '1.005'],
    ['EUR', '0.001'],
    ['JPY', '1.5'],
    ['JPY', '0.000001'],
    ['KWD', '1.2345'],
  ])('in %s with the digits of %s is refused, never rounded: 422', async (currency, amount) => {
    const answer = await create({ amount, currency })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/amount']])
  })

  it.each([
    ['JPY', '1500', '1500', '0'],
    ['JPY', '1500.00', '1500', '0'],
    ['KWD', '1.5', '1.500', '0.000'],
    ['KWD', '1.234', '1.234', '0.000'],
    ['EUR', '1', '1.00', '0.00'],
  ])('in %s, sent as %s, is shown as %s, and itemsTotal as %s', async (currency, amount, shown, itemsTotal) => {
    const { data } = await create({ amount, currency })
    expect(data).toMatchObject({ amount: shown, currency, itemsTotal })
  })

  it('of the same value written differently is a no-op', async () => {
    const { data } = await create({ amount: '10.5' })
    const { client } = await anOrganization()
    for (const amount of ['10.50', '10.500', 10.5]) {
      expect((await client.patch(`/deals/${data.id}`, { expectedVersion: 1, amount })).data.version).toBe(1)
    }
  })
})

describe('currency of a deal', () => {
  async function patch(members: JsonObject, body: JsonObject) {
    const { data } = await create(members)
    const { client } = await anOrganization()
    return client.patch(`/deals/${data.id}`, { expectedVersion: 1, ...body })
  }

  it('may stand without an amount', async () => {
    expect((await create({ currency: 'EUR' })).data).toMatchObject({ amount: null, currency: 'EUR' })
  })

  it.each(['usd', 'US', 'USDT', 'XXZ', '', 840, true])('%j is no code: 400', async currency => {
    const answer = await create({ currency })
    expect(outcome(answer)).toBe('400 validation_error')
    expect(new Set(issuePaths(answer))).toEqual(new Set(['/currency']))
  })

  it('that the organization has not enabled is refused: 422', async () => {
    const answer = await create({ amount: '1', currency: 'GBP' })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/currency']])
  })

  it('null while an amount is set is refused: 422', async () => {
    expect(outcome(await create({ amount: '1', currency: null }))).toBe('422 validation_error')
    expect(outcome(await patch({ amount: '1' }, { currency: null }))).toBe('422 validation_error')
    expect(outcome(await patch({ currency: 'EUR' }, { amount: '1', currency: null }))).toBe('422 validation_error')
  })

  it('and amount may be cleared together, or the amount alone', async () => {
    expect((await patch({ amount: '1' }, { amount: null, currency: null })).data).toMatchObject({
      amount: null,
      currency: null,
    })
    expect((await patch({ amount: '1', currency: 'EUR' }, { amount: null })).data).toMatchObject({
      amount: null,
      currency: 'EUR',
    })
  })

  it('may change when the amount fits the new one, and is refused when it does not: 422', async () => {
    expect((await patch({ amount: '5.00' }, { currency: 'JPY' })).data).toMatchObject({ amount: '5', currency: 'JPY' })
    expect((await patch({ amount: '5.5' }, { currency: 'KWD' })).data).toMatchObject({ amount: '5.500' })
    const answer = await patch({ amount: '5.25' }, { currency: 'JPY' })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/amount']])
    expect((await patch({ amount: '5.25' }, { currency: 'JPY', amount: '5' })).status).toBe(200)
  })

  it('is the one of the organization when PATCH sets the first amount', async () => {
    expect((await patch({}, { amount: '7' })).data).toMatchObject({ amount: '7.00', currency: 'USD' })
  })

  it('that was disabled later may stay while other fields change', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aRecord('deal', organization, { amount: '3', currency: 'EUR' })
    await given.configure(organization, `update organizations set currencies = '{USD}' where id = $1`, [
      organization.id,
    ])
    const changed = await client.patch(`/deals/${id}`, { expectedVersion: 1, title: 'Other', amount: '4' })
    expect([changed.status, changed.data.amount]).toEqual([200, '4.00'])
    expect(outcome(await client.post('/deals', await aBody('deal', organization, { currency: 'EUR' })))).toBe(
      '422 validation_error',
    )
  })
})

it('an amount stands in the events of the deal as the deal showed it, in the currency of that time', async () => {
  const { client } = await anOrganization()
  const { data } = await create({})
  const changes: JsonObject[] = [{ amount: '1500' }, { amount: 1500.5 }, { amount: '7', currency: 'JPY' }]
  for (const [index, members] of [...changes, { amount: null }].entries()) {
    const { status } = await client.patch(`/deals/${data.id}`, { expectedVersion: index + 1, ...members })
    expect(status).toBe(200)
  }
  const updates = (await dealEvents(given, data.id)).filter(({ kind }) => kind === 'deal.updated')
  expect(updates.map(event => event.data)).toMatchObject([
    { before: { amount: null, currency: null }, after: { amount: '1500.00', currency: 'USD' } },
    { before: { amount: '1500.00' }, after: { amount: '1500.50' } },
    { before: { amount: '1500.50', currency: 'USD' }, after: { amount: '7', currency: 'JPY' } },
    { before: { amount: '7' }, after: { amount: null } },
  ])
})
