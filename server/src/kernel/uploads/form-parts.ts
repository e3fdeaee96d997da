import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Issue, Refusal } from '../errors/index.ts'
import { inTime, takenInTime } from '../files/index.ts'
import type { FileField, FormDeclaration, TextField, UploadedFile } from '../input/index.ts'
import { bounds } from '../limits/index.ts'
import { codePoints, didYouMean, nearestWord, pointer } from '../schema/index.ts'
import type { Room } from './room.ts'

/** One part of a multipart body, before anything in it is checked. */
export interface SentPart {
  readonly name: string | undefined
  /** Undefined: the part is not a file. */
  readonly fileName: string | undefined
  readonly mediaType: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The fingerprint of a part: name, file name, media type, SHA-256 of the bytes (contract section 3). */
type PartPrint = readonly [name: string, fileName: string | null, mediaType: string, sha256: string]

export interface TakenPart {
  readonly print: PartPrint
  readonly file?: UploadedFile
  readonly text?: { readonly name: string; readonly value: string }
}

/** The most bytes of one character in UTF-8. */
const characterBytes = 4

/** The parts of one form. Texts are held in memory, files are written to a folder. */
export class FormParts {
  readonly issues: Issue[] = []
  /** Set if there was no memory for a text; the form is then not read further. */
  refusal: Refusal | null = null
  readonly #declared: FormDeclaration
  readonly #room: Room
  readonly #times = new Map<string, number>()
  #written = 0

  constructor(declared: FormDeclaration, room: Room) {
    this.#declared = declared
    this.#room = room
  }

  /** Reads one part to its end; null if the part is not kept. Parts that arrive together are read at the same time. */
  async take(part: SentPart): Promise<TakenPart | null> {
    const { name } = part
    const { files, texts } = this.#declared
    const file = name !== undefined && Object.hasOwn(files, name) ? files[name] : undefined
    const text = name !== undefined && Object.hasOwn(texts, name) ? texts[name] : undefined
    if (name !== undefined && file !== undefined) return this.#takeFile(name, file, part)
    if (name !== undefined && text !== undefined) return this.#takeText(name, text, part)
    this.#issue(name ?? '', 'unknown_field', unknown(name ?? '', [...Object.keys(files), ...Object.keys(texts)]))
    await passOver(part.bytes)
    return null
  }

  /** Issues for required fields that are missing. */
  missing(): Issue[] {
    const fields = [...Object.entries(this.#declared.files), ...Object.entries(this.#declared.texts)]
    return fields
      .filter(([name, { required }]) => required && !this.#times.has(name))
      .map(([name]) => ({ path: `/${pointer(name)}`, rule: 'required', message: 'This field is required' }))
  }

  async #takeFile(name: string, { most, maxBytes }: FileField, part: SentPart): Promise<TakenPart | null> {
    if (part.fileName === undefined) this.#issue(name, 'file', 'Send this field as a file, with a filename')
    if (this.#count(name) > most) this.#issue(name, 'maxItems', `At most ${most} of this field are taken`)
    // A form that is already refused keeps no files.
    if (this.issues.length > 0) return passOver(part.bytes)
    this.#written += 1
    const ownName = String(this.#written)
    const path = join(await this.#room.folder(), ownName)
    const { size, sha256 } = await store(part.bytes, path, maxBytes)
    const fileName = cleanFileName(part.fileName ?? '')
    const mediaType = cleanMediaType(part.mediaType)
    const sent = { name, fileName, mediaType, size, sha256 }
    const file: UploadedFile = size > maxBytes ? { ...sent, tooLarge: true } : { ...sent, tooLarge: false, path }
    return { print: [name, fileName, mediaType, sha256], file }
  }

  async #takeText(name: string, { maxLength, words }: TextField, part: SentPart): Promise<TakenPart | null> {
    if (this.#count(name) > 1) this.#issue(name, 'single', 'Give this field once')
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of part.bytes) {
      size += chunk.length
      if (size > maxLength * characterBytes || this.refusal !== null) continue
      this.refusal = this.#room.takeMemory(chunk.length)
      chunks.push(chunk)
    }
    const value = size > maxLength * characterBytes ? null : decoded(Buffer.concat(chunks))
    if (value === null || codePoints(value) > maxLength) {
      this.#issue(name, 'maxLength', `A text of at most ${maxLength} characters, in UTF-8 and without U+0000`)
      return null
    }
    if (words !== undefined && !words.includes(value)) {
      this.#issue(name, 'enum', `One of ${words.join(', ')} is expected`)
      return null
    }
    const sha256 = createHash('sha256').update(value).digest('hex')
    return { print: [name, null, cleanMediaType(part.mediaType), sha256], text: { name, value } }
  }

  #count(name: string): number {
    const times = (this.#times.get(name) ?? 0) + 1
    this.#times.set(name, times)
    return times
  }

  #issue(name: string, rule: string, message: string): void {
    this.issues.push({ path: `/${pointer(name)}`, rule, message })
  }
}

/** Writes a file and hashes it at the same time. A file that is too long is counted and hashed to its end, but not kept. */
async function store(bytes: AsyncIterable<Uint8Array>, path: string, most: number) {
  const hash = createHash('sha256')
  let size = 0
  const counted = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk)
      size += chunk.length
      if (size <= most) yield chunk
    }
  }
  await takenInTime(counted(), bounds.diskSilence.most, chunks => writeNew(path, chunks))
  if (size > most) await inTime(rm(path), bounds.diskSilence.most)
  return { size, sha256: hash.digest('hex') }
}

async function writeNew(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}

async function passOver(bytes: AsyncIterable<Uint8Array>): Promise<null> {
  for await (const _ of bytes);
  return null
}

/** The text of UTF-8 bytes; null if they are not UTF-8 or contain U+0000. */
function decoded(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

function unknown(name: string, known: readonly string[]): string {
  return `Unknown field${didYouMean(nearestWord(name, known))} There are: ${known.join(', ')}`
}

const mostCharacters = 255
/** Invisible characters, including those that change the direction of writing: they can make a name appear to have another extension. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const mediaTypeForm = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/u

/** The client's name for a file, for display: without folders and invisible characters, and not too long. */
function cleanFileName(sent: string): string {
  const last = sent.toWellFormed().normalize('NFC').split(/[/\\]/u).at(-1) ?? ''
  const name = [...last.replaceAll(unseen, '').trim()].slice(0, mostCharacters).join('').trim()
  return /^\.*$/u.test(name) ? 'unnamed' : name
}

/** The media type that the client gave the file; without one, that of arbitrary bytes. */
function cleanMediaType(sent: string): string {
  return mediaTypeForm.test(sent) ? sent : 'application/octet-stream'
}
