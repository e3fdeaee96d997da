/** What the client has to know about an operation at run time. The table of them is generated from the document of the API. */
export interface Operation {
  /** The `operationId` of the document. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** The whole path, with its parameters in braces: `/api/v1/crm/contacts/{id}`. */
  readonly path: string
  /** The form of the body. Absent if there is none. */
  readonly body?: 'json' | 'form'
  /** Whether it takes query parameters. */
  readonly query?: true
  /** The query parameters whose lists are sent as one text with commas. Other lists are sent as one parameter for each element. */
  readonly joined?: readonly string[]
  /** Whether it takes an `Idempotency-Key`. */
  readonly keyed?: true
  /** Whether it is a list that is read page by page, with `cursor` and `meta.nextCursor`. */
  readonly paged?: true
  /** Where `expectedVersion` goes, if it takes one. */
  readonly cas?: 'body' | 'query'
}

/** The operations of each resource, by the names of their methods. A resource below another has a dot: `deals.items`. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** What a call of an operation names, besides its options. */
export interface CallArguments {
  /** The parameters of the path, in its order. */
  readonly path?: readonly string[]
  /** Members that are `undefined` are not sent. The members of an object have its name in front: `customField.colour`. */
  readonly query?: object
  /** A `FormData` where the body of the operation is a form, otherwise what `JSON.stringify` accepts. */
  readonly body?: unknown
}
