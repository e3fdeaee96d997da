import type { Operation } from 'crm-sdk'

/** A command that calls one operation. The table of them is generated from the document of the API. */
export interface DeclaredCommand {
  /** `contacts tags list`, as words. */
  readonly words: readonly string[]
  readonly summary: string
  /** What has to be known of it, and the scopes that it needs. */
  readonly description: string
  readonly operation: Operation
  /** What its data are, or the elements of its data: a name among those of `answerNames`. */
  readonly answer: string
  readonly parameters: readonly DeclaredParameter[]
  readonly options: readonly DeclaredOption[]
  /** Reads the record whose version the operation needs: by the first parameter. */
  readonly reads?: Operation
  /** Whether it takes away what no other command brings back: then it asks first. */
  readonly erases?: true
}

/** A parameter of the path. */
export interface DeclaredParameter {
  readonly name: string
  readonly description: string
}

/** A value of the query, or a plain member of the body. */
export interface DeclaredOption {
  readonly name: string
  readonly flag: string
  readonly in: 'query' | 'body'
  readonly kind: 'text' | 'integer' | 'boolean' | 'list' | 'pairs'
  readonly description: string
  /** The texts that the API takes. All unless given. */
  readonly values?: readonly string[]
  /** Whether the API refuses a request without it. */
  readonly required?: true
  /** Whether an empty text stands for null. */
  readonly nullable?: true
}
