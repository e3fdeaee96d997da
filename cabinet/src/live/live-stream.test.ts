import { expect, test } from 'vitest'
import { type LiveMessage, pauseAfterRefusals } from './live.rules.ts'
import { LiveStream, type LiveSurroundings } from './live-stream.ts'

test('eight tabs have one stream between them, and all hear of each change', async () => {
  const browser = new Browser()
  const tabs = Array.from({ length: 8 }, () => browser.tab())
  await browser.settle()
  expect(browser.sources.length).toBe(1)
  browser.sources[0]?.send('position', { seq: 4 }, 'c4')
  browser.sources[0]?.send('change', change(5), 'c5')
  for (const { heard } of tabs) expect(heard.filter(({ type }) => type === 'change').length).toBe(1)
})

test('when the leading tab is closed, another goes on behind the last message', async () => {
  const browser = new Browser()
  const tabs = [browser.tab(), browser.tab()]
  await browser.settle()
  browser.sources[0]?.send('change', change(5), 'c5')
  tabs[0]?.stream.close()
  await browser.settle()
  expect(browser.sources.map(({ url }) => url)).toEqual(['/cabinet/api/o/o1/live', '/cabinet/api/o/o1/live?after=c5'])
})

test('a number that is missing makes all that is shown old', async () => {
  const browser = new Browser()
  const { heard } = browser.tab()
  await browser.settle()
  browser.sources[0]?.send('position', { seq: 4 }, 'c4')
  browser.sources[0]?.send('change', change(7, 2), 'c7')
  browser.sources[0]?.send('position', { seq: 9, filtered: 2 }, 'c9')
  browser.sources[0]?.send('change', change(10), 'c10')
  expect(heard.some(({ type }) => type === 'reset')).toBe(false)
  browser.sources[0]?.send('change', change(12), 'c12')
  expect(heard.some(({ type }) => type === 'reset')).toBe(true)
})

test('a refused stream is asked for again from now on, less and less often, and then all that is shown is old', async () => {
  const browser = new Browser()
  const { heard } = browser.tab()
  await browser.settle()
  browser.sources[0]?.send('change', change(5), 'c5')
  for (const source of [0, 1, 2]) {
    browser.sources[source]?.refuse()
    expect(heard.at(-1)).toEqual({ type: 'state', state: 'refused' })
    browser.passTime()
  }
  expect(browser.pauses).toEqual([5_000, 10_000, 20_000])
  expect(browser.sources[3]?.url).toBe('/cabinet/api/o/o1/live')
  expect(heard.some(({ type }) => type === 'reset')).toBe(false)
  browser.sources[3]?.open()
  expect(heard.slice(-2)).toEqual([{ type: 'reset' }, { type: 'state', state: 'live' }])
  browser.sources[3]?.refuse()
  expect(browser.pauses.at(-1)).toBe(5_000)
})

test('a stream that is refused for good is asked for every five minutes', () => {
  expect([6, 7, 8, 2_000].map(pauseAfterRefusals)).toEqual([160_000, 300_000, 300_000, 300_000])
})

function change(seq: number, filtered = 0) {
  return {
    seq,
    filtered,
    kind: 'contact.updated',
    resourceType: 'contact',
    resourceId: 'a',
    version: 2,
    changedFields: ['jobTitle'],
  }
}

/** A source of events whose test decides what it sends. */
class Source extends EventTarget {
  readonly CLOSED = 2
  readyState = 1
  readonly url: string

  constructor(url: string) {
    super()
    this.url = url
  }

  send(name: string, data: unknown, id: string): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId: id }))
  }

  open(): void {
    this.dispatchEvent(new Event('open'))
  }

  refuse(): void {
    this.readyState = this.CLOSED
    this.dispatchEvent(new Event('error'))
  }

  close(): void {
    this.readyState = this.CLOSED
  }
}

/** A channel that delivers at once, to all others of its browser. */
class Channel extends EventTarget {
  readonly #all: Set<Channel>

  constructor(all: Set<Channel>) {
    super()
    this.#all = all
    all.add(this)
  }

  postMessage(data: LiveMessage): void {
    for (const other of this.#all) if (other !== this) other.dispatchEvent(new MessageEvent('message', { data }))
  }

  close(): void {
    this.#all.delete(this)
  }
}

/** As much of a browser as the stream needs. */
class Browser {
  readonly sources: Source[] = []
  readonly pauses: number[] = []
  readonly #channels = new Set<Channel>()
  readonly #waiting: (() => void)[] = []
  #turn: Promise<void> = Promise.resolve()

  tab() {
    const heard: LiveMessage[] = []
    const parts: unknown = {
      open: (url: string) => {
        const source = new Source(url)
        this.sources.push(source)
        return source
      },
      channel: () => new Channel(this.#channels),
      locks: {
        request: (_name: string, _options: unknown, run: () => Promise<void>) => (this.#turn = this.#turn.then(run)),
      },
      later: (what: () => void, milliseconds: number) => {
        this.pauses.push(milliseconds)
        this.#waiting.push(what)
      },
    }
    return { heard, stream: new LiveStream('o1', message => heard.push(message), surroundings(parts)) }
  }

  passTime(): void {
    for (const what of this.#waiting.splice(0)) what()
  }

  async settle(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve))
  }
}

function surroundings(parts: unknown): LiveSurroundings {
  if (!isComplete(parts)) throw new Error('parts are missing')
  return parts
}

function isComplete(parts: unknown): parts is LiveSurroundings {
  return typeof parts === 'object' && parts !== null && 'locks' in parts
}
