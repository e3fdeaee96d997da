import { expect, test } from 'vitest'
import { readOpportunities, readProducts } from './opportunities.ts'

const header = 'opportunity_id,sales_agent,product,account,deal_stage,engage_date,close_date,close_value'
const known = {
  agents: new Set(['Anna Snelling']),
  products: new Set(['GTX Pro', 'MG Special']),
  accounts: new Set(['Isdom']),
}

function read(...lines: string[]) {
  return readOpportunities([header, ...lines, ''].join('\r\n'), known)
}

test('a won opportunity is read with its dates, its amount and the product by its proper name', () => {
  expect(read('A1,Anna Snelling,GTXPro,Isdom,Won,25-10-2016,11-03-2017,4514')).toEqual([
    {
      id: 'A1',
      agent: 'Anna Snelling',
      product: 'GTX Pro',
      account: 'Isdom',
      stage: 'Won',
      engageDate: '2016-10-25',
      closeDate: '2017-03-11',
      amount: '4514.00',
      currency: 'USD',
    },
  ])
})

test.each(['', 'null'])('an account that reads "%s" is not known', account => {
  const [opportunity] = read(`A1,Anna Snelling,MG Special,${account},Prospecting,,,0`)
  expect(opportunity).toMatchObject({ account: null, engageDate: null, closeDate: null })
})

test.each([
  ['0', '0.00'],
  ['49', '49.00'],
  ['49.5', '49.50'],
  ['', null],
])('the value "%s" becomes the amount %s', (value, amount) => {
  const [opportunity] = read(`A1,Anna Snelling,MG Special,Isdom,Lost,25-10-2016,11-03-2017,${value}`)
  expect(opportunity?.amount).toBe(amount)
})

test('a leap day exists in a leap year only', () => {
  const [opportunity] = read('A1,Anna Snelling,MG Special,Isdom,Engaging,29-02-2016,,')
  expect(opportunity?.engageDate).toBe('2016-02-29')
  expect(() => read('A1,Anna Snelling,MG Special,Isdom,Engaging,29-02-2017,,')).toThrow(
    'sales_pipeline.csv row 2: engage_date "29-02-2017" does not exist',
  )
})

test.each([
  ['A2,Anna Snelling,MG Special,Isdom,Won,25-10-2016,31-04-2017,50', 'close_date "31-04-2017" does not exist'],
  ['A2,Anna Snelling,MG Special,Isdom,Won,25-10-2016,01-13-2017,50', 'close_date "01-13-2017" does not exist'],
  ['A2,Anna Snelling,MG Special,Isdom,Won,25-10-2016,2017-03-01,50', 'close_date "2017-03-01" is no date'],
  ['A2,Anna Snelling,MG Special,Isdom,Won,25-10-2016,01-03-2017,1e3', 'close_value "1e3" is no amount'],
  ['A2,Anna Snelling,MG Special,Isdom,Won,25-10-2016,01-03-2017,-5', 'close_value "-5" is no amount'],
  ['A2,Anna Snelling,MG Special,Isdom,Closed,,,', 'deal_stage "Closed" is unknown'],
  ['A2,Carl Lin,MG Special,Isdom,Engaging,,,', 'sales_agent "Carl Lin" is in no team'],
  ['A2,Anna Snelling,GTX,Isdom,Engaging,,,', 'product "GTX" is unknown'],
  ['A2,Anna Snelling,MG Special,Isdum,Engaging,,,', 'account "Isdum" is unknown'],
  [',Anna Snelling,MG Special,Isdom,Engaging,,,', 'opportunity_id is missing'],
  ['A1,Anna Snelling,MG Special,Isdom,Engaging,,,', 'opportunity_id A1 occurs twice'],
])('the row %s is refused, and the refusal names its number', (line, reason) => {
  const goodLine = 'A1,Anna Snelling,MG Special,Isdom,Engaging,,,'
  expect(() => read(goodLine, '', line)).toThrow(`sales_pipeline.csv row 4: ${reason}`)
})

test('a row with another number of cells than the header is refused', () => {
  expect(() => read('A1,Anna Snelling,MG Special')).toThrow(
    'sales_pipeline.csv: Invalid Record Length: columns length is 8, got 3 on line 2',
  )
})

test('a file without the expected columns is refused', () => {
  expect(() => readProducts('name,series\r\nGTX Pro,GTX\r\n')).toThrow('products.csv row 2: there is no column product')
})
