import type { Readable } from 'node:stream'
import type { BusboyInstance } from '@fastify/busboy'
import { type Issue, Refusal, refuse } from '../errors/index.ts'
import { type Call, ClientGone } from '../input/call.ts'
import { bounds } from '../limits/index.ts'
import type { FormParts, TakenPart } from './form-parts.ts'
import type { Room } from './room.ts'

export type Parser = BusboyInstance

/** Passes a body through the parser and its parts to `FormParts`, no faster than they are written to disk. */
export class FormReader {
  readonly #parser: Parser
  readonly #parts: FormParts
  readonly #limit: number
  readonly #room: Room
  readonly #open = new Set<Readable>()
  readonly #taken: Promise<TakenPart | null>[] = []
  /** Resolves when the parser has read the form, which may end before the body does. */
  readonly #finished: Promise<void>
  /** Rejects with the error that ends reading early. */
  readonly #broken: Promise<never>
  #breakOff: (error: unknown) => void = () => {}
  #size = 0
  /** Why the rest of the body is not read. */
  #stopped: Refusal | Issue | null = null

  constructor(parser: Parser, parts: FormParts, limit: number, room: Room) {
    this.#parser = parser
    this.#parts = parts
    this.#limit = limit
    this.#room = room
    this.#finished = new Promise(resolve => parser.once('finish', resolve))
    this.#broken = new Promise((_, reject) => {
      this.#breakOff = reject
    })
    this.#broken.catch(() => {})
    parser.on('error', () => this.#breakOff(new CutShort()))
    parser.on('file', (name: string | undefined, bytes, fileName: string | undefined, _encoding, mediaType) =>
      this.#take(bytes, { name, fileName, mediaType, bytes: untilCut(bytes) }),
    )
    parser.on('partsLimit', () => {
      const message = `A multipart body has at most ${bounds.formParts.most} parts`
      this.#stopped = { path: '', rule: 'maxParts', message }
    })
  }

  /** The parts, or a refusal. Issues of the form are added to its `FormParts`. */
  async read(call: Call): Promise<readonly TakenPart[] | Refusal> {
    const stopListening = call.whenGone(() => this.#breakOff(new ClientGone('the request ended early')))
    try {
      for await (const chunk of this.#counted(call.streamBody())) await Promise.race([this.#write(chunk), this.#broken])
      this.#parser.end()
      await Promise.race([this.#finished, this.#broken])
      await Promise.race([Promise.all(this.#taken), this.#broken])
    } catch (error) {
      if (!(error instanceof CutShort)) throw error
      this.#stopped ??= { path: '', rule: 'multipart', message: 'The body does not end as multipart/form-data does' }
    } finally {
      stopListening()
      for (const bytes of this.#open) bytes.destroy()
      await Promise.allSettled(this.#taken)
    }
    return this.#result()
  }

  async #result(): Promise<readonly TakenPart[] | Refusal> {
    const { refusal, issues } = this.#parts
    if (refusal !== null) return refusal
    if (this.#stopped instanceof Refusal) return this.#stopped
    if (this.#size === 0 || this.#stopped === null) issues.push(...this.#parts.missing())
    else issues.push(this.#stopped)
    return (await Promise.all(this.#taken)).filter(taken => taken !== null)
  }

  #take(bytes: Readable, part: Parameters<FormParts['take']>[0]): void {
    // If the body ends early, the parser reports that too.
    bytes.on('error', () => {})
    this.#open.add(bytes)
    const taken = this.#parts.take(part).finally(() => this.#open.delete(bytes))
    this.#taken.push(taken)
    taken.catch(error => this.#breakOff(error))
  }

  /** Resolves when the parser has room for more. */
  #write(chunk: Uint8Array): Promise<void> {
    return new Promise(resolve => this.#parser.write(chunk, () => resolve()))
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#size += chunk.length
      if (this.#size > this.#limit) this.#stopped = refuse('payload_too_large', { limitBytes: this.#limit })
      else this.#stopped ??= this.#room.reachOnDisk(this.#size)
      if (this.#stopped !== null || this.#parts.refusal !== null) return
      yield chunk
    }
  }
}

/** The body ended before the form did, or is not a form. */
class CutShort extends Error {}

/** The bytes of a part. They end without an error if the body ends early. */
async function* untilCut(bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch {
    // The reader of the whole body receives the error.
  }
}
