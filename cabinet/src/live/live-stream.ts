import { changeOf, follows, type LiveMessage, pauseAfterRefusals, positionOf, reaches } from './live.rules.ts'

/** What the stream needs of a browser. */
export interface LiveSurroundings {
  readonly open: (address: string) => EventSource
  readonly channel: (name: string) => BroadcastChannel
  readonly locks: Pick<LockManager, 'request'>
  readonly later: (what: () => void, milliseconds: number) => void
}

/**
 * The changes of an organization, in all tabs of a browser by one connection: the tab that holds the lock has it, and tells the others.
 * When that tab is closed, another one goes on behind the last message that it has seen.
 */
export class LiveStream {
  readonly #organization: string
  readonly #surroundings: LiveSurroundings
  readonly #tell: (message: LiveMessage) => void
  readonly #closing = new AbortController()
  readonly #channel: BroadcastChannel
  #source: EventSource | undefined
  #lastId: string | undefined
  #lastSeq: number | undefined
  /** How often in a row the stream was refused. */
  #refusals = 0

  constructor(organization: string, tell: (message: LiveMessage) => void, surroundings: LiveSurroundings) {
    this.#organization = organization
    this.#surroundings = surroundings
    this.#tell = tell
    this.#channel = surroundings.channel(this.#name)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => this.#hear(data))
    void this.#lead()
  }

  close(): void {
    this.#closing.abort()
    this.#source?.close()
    this.#channel.close()
  }

  get #name(): string {
    return `crm-live/${this.#organization}`
  }

  /** Waits until no other tab leads, and then leads until this one is closed. */
  async #lead(): Promise<void> {
    const { signal } = this.#closing
    const untilClosed = () =>
      new Promise<void>(resolve => {
        signal.addEventListener('abort', () => resolve())
        this.#open()
      })
    await this.#surroundings.locks.request(this.#name, { signal }, untilClosed).catch((failure: unknown) => {
      if (!signal.aborted) throw failure
    })
  }

  #open(): void {
    if (this.#closing.signal.aborted) return
    const after = this.#lastId === undefined ? '' : `?after=${encodeURIComponent(this.#lastId)}`
    const source = this.#surroundings.open(`/cabinet/api/o/${this.#organization}/live${after}`)
    this.#source = source
    source.addEventListener('open', () => this.#begin())
    source.addEventListener('error', () => this.#lose(source))
    source.addEventListener('position', ({ data, lastEventId }: MessageEvent<string>) => {
      const position = positionOf(data)
      if (position !== undefined) this.#say({ type: 'position', id: lastEventId, position })
    })
    source.addEventListener('change', ({ data, lastEventId }: MessageEvent<string>) => {
      const change = changeOf(data)
      if (change !== undefined) this.#say({ type: 'change', id: lastEventId, change })
    })
  }

  /** The first stream after a refusal begins anew: all that is shown may be old. */
  #begin(): void {
    if (this.#refusals > 0) this.#say({ type: 'reset' })
    this.#refusals = 0
    this.#say({ type: 'state', state: 'live' })
  }

  /** A browser connects again by itself unless it was refused: then the position is worth nothing, and it is asked for less and less often. */
  #lose(source: EventSource): void {
    if (source.readyState !== source.CLOSED) return this.#say({ type: 'state', state: 'connecting' })
    source.close()
    this.#refusals += 1
    this.#say({ type: 'state', state: 'refused' })
    this.#surroundings.later(() => {
      this.#lastId = undefined
      this.#lastSeq = undefined
      this.#open()
    }, pauseAfterRefusals(this.#refusals))
  }

  /** Tells all tabs, this one too. */
  #say(message: LiveMessage): void {
    if (this.#closing.signal.aborted) return
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel of one origin has none
    this.#channel.postMessage(message)
    this.#hear(message)
  }

  #hear(message: LiveMessage): void {
    if (message.type === 'change') {
      const isWhole = this.#lastSeq === undefined || follows(this.#lastSeq, message.change)
      this.#lastSeq = message.change.seq
      this.#lastId = message.id
      if (!isWhole) this.#tell({ type: 'reset' })
    }
    if (message.type === 'position') {
      const isWhole = this.#lastSeq === undefined || reaches(this.#lastSeq, message.position)
      this.#lastSeq = message.position.seq
      this.#lastId = message.id
      if (!isWhole) this.#tell({ type: 'reset' })
    }
    this.#tell(message)
  }
}
