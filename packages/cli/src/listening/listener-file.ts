import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailure } from '../failure.ts'
import { type FeedPosition, positionOf } from '../feed/position-file.ts'
import { isObject } from '../json.ts'
import { unlessMissing, writePrivateFile } from '../private-file.ts'

/** What is remembered of a receiver, so that it has the same secret the next time, and misses nothing in between. */
export interface Listener {
  readonly secret: string
  readonly webhookId: string
  /** What it has got; null: nothing yet. */
  readonly position: FeedPosition | null
}

/** The file of a receiver of the events that one application of one server reads. */
export function listenerFile(folder: string, server: string, applicationId: string, receiver: string): string {
  const name = createHash('sha256').update([server, applicationId, receiver].join('\n')).digest('hex').slice(0, 32)
  return join(folder, 'listeners', `${name}.json`)
}

/** A new one if there is none. Throws CommandFailure for a file that this program has not written. */
export async function readListener(file: string): Promise<Listener> {
  const text = await unlessMissing(readFile(file, 'utf8'))
  if (text === undefined)
    return { secret: `whsec_${randomBytes(32).toString('base64')}`, webhookId: randomUUID(), position: null }
  const listener = listenerOf(text)
  if (listener === null) throw new CommandFailure(`${file} cannot be read: remove it to begin anew`)
  return listener
}

export function writeListener(file: string, listener: Listener): Promise<void> {
  return writePrivateFile(file, `${JSON.stringify(listener)}\n`)
}

function listenerOf(text: string): Listener | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return null
    const { secret, webhookId, position } = value
    if (typeof secret !== 'string' || typeof webhookId !== 'string') return null
    return { secret, webhookId, position: positionOf(position) }
  } catch {
    return null
  }
}
