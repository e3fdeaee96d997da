/** The part of autocannon 9 that the driver uses. */
declare module 'autocannon' {
  export interface SentRequest {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    setupRequest?(request: SentRequest): SentRequest
    onResponse?(status: number, body: string): void
  }

  export interface Client {
    setRequests(requests: SentRequest[]): void
  }

  export interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    /** Milliseconds between two checks of the duration. */
    sampleInt?: number
    /** Seconds. */
    timeout?: number
    setupClient(client: Client): void
  }

  export interface Result {
    readonly errors: number
    readonly timeouts: number
  }

  export interface Run extends PromiseLike<Result> {
    on(event: 'response', listener: (client: Client, status: number, bytes: number, milliseconds: number) => void): this
    stop(): void
  }

  export default function autocannon(options: Options): Run
}
