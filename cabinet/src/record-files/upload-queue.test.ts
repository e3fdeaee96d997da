import { expect, test } from 'vitest'
import { Failure } from '../api/failure.ts'
import { createUploadQueue, type UploadWays } from './upload-queue.ts'

interface Item {
  readonly name: string
  readonly size: number
}

const items = (count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => ({ name: `file ${first + index}`, size: 10 }))
const refused = (status: number, details = {}) => new Failure('validation_failed', status, 'no', details, null)

/** A queue, the portions that it has sent, and the end of all. `answer` is what becomes of the portion of that number. */
function aQueue(answer: (number: number, signal: AbortSignal) => unknown = () => undefined) {
  const queue = createUploadQueue<Item>()
  const sent: string[][] = []
  const told: number[] = []
  const ways: UploadWays<Item> = {
    async send(portion, { signal }) {
      signal.throwIfAborted()
      sent.push(portion.map(({ name }) => name))
      const answered = await answer(sent.length, signal)
      if (answered instanceof Failure) throw answered
      return []
    },
    onPortion: async () => {},
    onUnsaved: count => told.push(count),
  }
  const end = () =>
    new Promise<void>(resolve => {
      const look = () => {
        if (!queue.now().isRunning) resolve()
      }
      queue.subscribe(look)
      look()
    })
  return { queue, ways, sent, told, end }
}

test('files that are added while others are sent go after them', async () => {
  const { queue, ways, sent, end } = aQueue()
  queue.add(items(2), ways)
  queue.add(items(1, 3), ways)
  expect(queue.now()).toMatchObject({ files: 3, bytes: 30, isRunning: true })
  await end()
  expect(sent).toEqual([['file 1', 'file 2'], ['file 3']])
  expect(queue.now()).toMatchObject({ sent: 30, unsaved: [] })
})

test('a portion that is refused does not hold up the next one, and its files are named', async () => {
  const issues = [
    { path: '/files/0', rule: 'payload_too_large', message: 'too large' },
    { path: '/files/1', rule: 'service_unavailable', message: 'no room' },
  ]
  const { queue, ways, sent, end } = aQueue(number => (number === 1 ? refused(422, { issues }) : undefined))
  queue.add(items(12), ways)
  await end()
  expect(sent.map(({ length }) => length)).toEqual([10, 2])
  const { unsaved } = queue.now()
  expect(unsaved.slice(0, 3)).toMatchObject([
    { name: 'file 1', code: 'payload_too_large', message: 'too large' },
    { name: 'file 2', code: 'service_unavailable' },
    { name: 'file 3', code: 'validation_failed' },
  ])
  expect(unsaved).toHaveLength(10)
})

test.for([0, 401, 403])(
  'after the status %i nothing more is sent, and the rest is named',
  async (status, { expect }) => {
    const { queue, ways, sent, end } = aQueue(() => refused(status))
    queue.add(items(25), ways)
    await end()
    expect(sent).toHaveLength(1)
    const { unsaved } = queue.now()
    expect(unsaved).toHaveLength(25)
    expect(unsaved[10]).toEqual({ name: 'file 11', code: 'not_sent', message: '' })
  },
)

test('uploads that are stopped between two portions send no other', async () => {
  const { queue, ways, sent, end } = aQueue()
  queue.add(items(12), { ...ways, onPortion: async () => queue.stop() })
  await end()
  expect(sent).toHaveLength(1)
  expect(queue.now().unsaved.map(({ name, code }) => [name, code])).toEqual([
    ['file 11', 'not_sent'],
    ['file 12', 'not_sent'],
  ])
})

test('after a stop, files are sent again', async () => {
  const { queue, ways, sent, end } = aQueue((number, signal) =>
    number === 1 ? (queue.stop(), signal.aborted && refused(0)) : undefined,
  )
  queue.add(items(1), ways)
  await end()
  expect(queue.now().unsaved).toHaveLength(1)
  queue.add(items(1), ways)
  await end()
  expect(sent).toHaveLength(2)
  expect(queue.now().unsaved).toEqual([])
})

test('what was not saved is told at the end when nobody looks', async () => {
  const { queue, ways, told } = aQueue(() => refused(422))
  let portions = 0
  const leave = queue.subscribe(() => {})
  const left = new Promise<void>(resolve => {
    queue.add(items(3), {
      ...ways,
      onPortion: async () => {
        portions += 1
        leave()
      },
      onUnsaved(count) {
        told.push(count)
        resolve()
      },
    })
  })
  await left
  expect([portions, told]).toEqual([1, [3]])
})
