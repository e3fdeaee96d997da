import type { Issue } from '../errors/index.ts'
import type { JsonSchema } from '../schema/index.ts'

/** The JSON body of an operation: its published schema, and the check that gives the value for execution. */
export interface BodyDeclaration {
  /** A body is JSON unless its declaration says something else. */
  readonly form?: 'json'
  /** Name and schema of the component in the OpenAPI document. */
  readonly name: string
  readonly schema: JsonSchema
  /** Whether the body is required. */
  readonly required: boolean
  /** Set if the operation ignores the content of a body: it refuses a wrong one itself, after it has found the record. */
  readonly isCheckedLast?: true
  readonly example?: unknown
  /** Members whose texts are secrets: the fingerprint of a request contains none of them. */
  readonly secrets?: readonly string[]
  /** Component name of the items of a batch. The schema refers to it. */
  readonly itemName?: string
  /** Checks the parsed JSON of a request. It is undefined if the request had no body. */
  parse(body: unknown): CheckedBody
  /** Does the same in short steps, for bodies that may be large. */
  parseInSteps?(body: unknown): Generator<unknown, CheckedBody>
}

// Each space matches in one way only: otherwise a header of nothing but spaces would cause catastrophic backtracking.
const jsonType = /^application\/json\s*(?:;\s*(?:charset="?utf-?8"?\s*(?:;\s*)?)?)?$/iu

/** Whether a `Content-Type` is JSON. JSON is UTF-8: a body in another declared encoding would be decoded wrongly. */
export function isJsonType(contentType = ''): boolean {
  return jsonType.test(contentType)
}

/** An issue if a `Content-Encoding` other than identity was sent: bodies are not decompressed. */
export function refuseEncoding(encoding = ''): Issue[] {
  if (/^(identity)?$/iu.test(encoding)) return []
  const message = 'Send the body as it is: no encoding is taken'
  return [{ path: 'header:Content-Encoding', rule: 'content_encoding', message }]
}

export interface CheckedBody {
  readonly value: unknown
  readonly issues: readonly Issue[]
}

/** A multipart body of an operation: which files and texts it has (contract section 14). */
export interface FormDeclaration {
  readonly form: 'multipart'
  /** The most bytes of the whole body (413). */
  readonly limit: number
  readonly files: Readonly<Record<string, FileField>>
  readonly texts: Readonly<Record<string, TextField>>
}

export interface FileField {
  readonly description: string
  readonly required: boolean
  /** The most files in this field. */
  readonly most: number
  /** The most bytes of one file. A longer file is marked and not kept. */
  readonly maxBytes: number
}

export interface TextField {
  readonly description: string
  readonly required: boolean
  /** The most characters. */
  readonly maxLength: number
  /** The allowed texts; absent if any text is allowed. */
  readonly words?: readonly string[]
}

/** A file of a multipart body, in the form that execution gets. */
export type UploadedFile = KeptFile | DroppedFile

interface SentFile {
  /** The name of the field. */
  readonly name: string
  /** The client's name for the file, for display only: it is not a path. */
  readonly fileName: string
  /** The media type that the client sent, without parameters. */
  readonly mediaType: string
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

interface KeptFile extends SentFile {
  readonly tooLarge: false
  /** Where the bytes are until the request is answered. */
  readonly path: string
}

interface DroppedFile extends SentFile {
  readonly tooLarge: true
}

/** The declaration of a JSON body; null if the operation takes no body, or a form. */
export function jsonBodyOf({
  body,
}: {
  readonly body: BodyDeclaration | FormDeclaration | null
}): BodyDeclaration | null {
  return body?.form === 'multipart' ? null : body
}
