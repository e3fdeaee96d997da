import { expect, test } from 'vitest'
import type { LiveMessage } from './live.rules.ts'
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

test('a refused stream is asked for again from now on, and all that is shown is old', async () => {
  const browser = new Browser()
  const { heard } = browser.tab()
  await browser.settle()
  browser.sources[0]?.send('change', change(5), 'c5')
  browser.sources[0]?.refuse()
  browser.passTime()
  expect(browser.sources[1]?.url).toBe('/cabinet/api/o/o1/live')
  expect(heard.some(({ type }) => type === 'reset')).toBe(true)
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
      later: (what: () => void) => this.#waiting.push(what),
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
