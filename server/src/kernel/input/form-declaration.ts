import type { BodyDeclaration } from './body.ts'

/** A multipart body of an operation: which files and texts it has (contract section 14). */
export interface FormDeclaration {
  readonly form: 'multipart'
  /** Most bytes of the whole body (413). */
  readonly limit: number
  readonly files: Readonly<Record<string, FileField>>
  readonly texts: Readonly<Record<string, TextField>>
}

export interface FileField {
  readonly description: string
  readonly required: boolean
  /** How many files this field takes. */
  readonly most: number
  /** Most bytes of one file; a longer one is marked, and not kept. */
  readonly maxBytes: number
}

export interface TextField {
  readonly description: string
  readonly required: boolean
  /** Most characters. */
  readonly maxLength: number
}

/** A file of a multipart body, as execution sees it. */
export type UploadedFile = KeptFile | DroppedFile

interface SentFile {
  /** Of the field. */
  readonly name: string
  /** What the client calls the file, for display: it is no path. */
  readonly fileName: string
  /** As the client says, without parameters. */
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

/** The declaration of a JSON body; null where there is none, or one of another form. */
export function jsonBodyOf({
  body,
}: {
  readonly body: BodyDeclaration | FormDeclaration | null
}): BodyDeclaration | null {
  return body?.form === 'multipart' ? null : body
}
