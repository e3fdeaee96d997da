/** A value that an operation takes: a parameter of the node, and where it goes. */
export interface OperationInput {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  /** The member that it becomes: `['contactData', 'emails']` of a body. */
  readonly member: readonly string[]
  /** The others stand in a collection. */
  readonly onTop?: true
  /** `json`: an object, or its text. `rows`: what a collection with several rows gives. `joined`: several values with commas between. */
  readonly form?: 'json' | 'rows' | 'joined'
}

/** How an operation of the API is called. Members that are absent do not hold. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly keyed?: true
  readonly paged?: true
  readonly inputs: readonly OperationInput[]
}

/** The operations by their ids, such as `deals.items.create`. */
export type OperationTable = Readonly<Record<string, Operation>>
