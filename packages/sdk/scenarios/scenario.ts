/** The form of the files beside this one, which README.md explains. */
export interface Scenario {
  readonly title: string
  readonly now?: number
  readonly client?: {
    readonly attempts?: number
    readonly timeout?: number
    readonly deadline?: number
    readonly maxAnswerBytes?: number
    readonly folder?: string
  }
  readonly calls: readonly Call[]
  readonly exchanges: readonly Exchange[]
  readonly pauses?: readonly (readonly [number, number])[]
  readonly log?: readonly object[]
}

export interface Call {
  readonly resource: string
  readonly method: string
  readonly arguments: readonly unknown[]
  readonly as?: 'data' | 'response' | 'page' | 'pages' | 'items'
  readonly take?: number
  readonly result?: unknown
  readonly error?: Readonly<Record<string, unknown>>
  /** Members of the error that are others in browsers. */
  readonly errorInBrowsers?: Readonly<Record<string, unknown>>
}

export interface Exchange {
  readonly request: ExpectedRequest
  readonly answer?: ScriptedAnswer
  readonly fault?: 'close' | 'silence'
}

export interface ExpectedRequest {
  readonly method: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, FilePart>>
}

export interface FilePart {
  readonly name: string
  readonly type: string
  readonly text: string
}

export interface ScriptedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  readonly bodyEnds?: 'early'
}
