import { open } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'
import { isObject } from '../json.ts'
import { replaceFile, unlessMissing } from '../private-file.ts'

/** How far the feed was handled. */
export interface FeedPosition {
  /** Where a page begins, or where the next one will. */
  readonly cursor: string
  /** The last event behind the cursor that was handled; 0: none was. */
  readonly seq: number
}

const longestFile = 65_536

/** The position in a file that this program has written, or a cursor alone. Null if there is no such file. Throws CommandFailure for another file. */
export async function readPosition(file: string): Promise<FeedPosition | null> {
  const handle = await unlessMissing(open(file, 'r'))
  if (handle === undefined) return null
  try {
    const buffer = Buffer.alloc(longestFile)
    const { bytesRead } = await handle.read(buffer, 0, longestFile, 0)
    const position = positionOf(parsed(buffer.toString('utf8', 0, bytesRead)))
    if (position === null) throw new CommandFailure(`${file} has no cursor of this program: remove it to begin now`)
    return position
  } finally {
    await handle.close()
  }
}

/** Only its owner can read it. */
export function writePosition(file: string, position: FeedPosition): Promise<void> {
  return replaceFile(file, `${JSON.stringify(position)}\n`)
}

/** The position in a value of JSON; null if it is none. */
export function positionOf(value: unknown): FeedPosition | null {
  if (!isObject(value)) return null
  const { cursor, seq } = value
  return typeof cursor === 'string' && typeof seq === 'number' ? { cursor, seq } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
