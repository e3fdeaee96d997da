import { expect, it } from 'vitest'
import { RecordBatches } from './record-batches.ts'

/** Batches whose reads are counted: what is found of a record is the number of the read. */
function counted() {
  const batches = new RecordBatches<number>()
  const reads: string[][] = []
  const take = (id: string, seq: number, { readSeq = 10, others = ['a', 'b', 'c'], now = 0 } = {}) =>
    batches.take({ id, seq, readSeq, others, now }, async ids => {
      const count = reads.push(ids)
      return new Map(ids.map(each => [each, count]))
    })
  return { batches, reads, take }
}

it('a record is read with those that are asked for next, and these are not read again', async () => {
  const { reads, take, batches } = counted()
  expect(await Promise.all([take('a', 1), take('b', 2), take('c', 3)])).toEqual([1, 1, 1])
  expect(reads).toEqual([['a', 'b', 'c']])
  expect(batches.kept(0)).toEqual([])
})

it('a record is read again for a second use', async () => {
  const { reads, take } = counted()
  await take('a', 1, { others: [] })
  expect(await take('a', 2, { others: [] })).toBe(2)
  expect(reads).toHaveLength(2)
})

it('a record is read again after a second, and `kept` returns it until then', async () => {
  const { take, batches } = counted()
  await take('a', 1)
  expect([batches.known('b'), batches.kept(999), batches.kept(1000)]).toEqual([1, [1, 1], []])
  await take('a', 2)
  expect([await take('b', 3, { now: 999 }), await take('c', 4, { now: 1000 })]).toEqual([2, 3])
})

it('a record is read again for an event that was not known when it was read', async () => {
  const { take } = counted()
  await take('a', 1, { readSeq: 5 })
  expect([await take('b', 5), await take('c', 6)]).toEqual([1, 2])
})

it('a failed read is repeated for the other records', async () => {
  const batches = new RecordBatches<number>()
  const asked = { seq: 1, readSeq: 1, others: ['a', 'b'], now: 0 }
  await expect(batches.take({ ...asked, id: 'a' }, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  expect(await batches.take({ ...asked, id: 'b' }, async () => new Map([['b', 7]]))).toBe(7)
})
