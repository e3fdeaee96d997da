import type { BodyDeclaration } from './body.ts'

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
