import { Writable } from 'node:stream'

/** The driver's socket, which it has but does not declare. */
export function socketOf(client: object): Writable | undefined {
  const connection = 'connection' in client ? client.connection : undefined
  const holder =
    typeof connection === 'object' && connection !== null && 'stream' in connection ? connection.stream : undefined
  return holder instanceof Writable ? holder : undefined
}
