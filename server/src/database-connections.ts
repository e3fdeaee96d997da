/** Who opens connections to the database: a server, one of its processes, the first one of several, or a command. */
type Opener = 'server' | 'first' | 'part' | 'command'

/** Connections of each kind of process for writes and look-ups by key. Two processes have as many as a server of one. */
export const pointConnections: Readonly<Record<Opener, number>> = { server: 12, part: 6, first: 2, command: 2 }

/** The most that one process of several opens, of all kinds: the one that works on jobs does. */
const mostOfPart = 13

/** For the first process, commands beside the server, long transactions, and what PostgreSQL keeps for itself. */
const others = 34

/** The `max_connections` of an embedded database for a server with so many processes that answer requests. */
export function maxConnections(processes: number): number {
  // One more works on jobs, and one is about to replace another.
  return (processes + 2) * mostOfPart + others
}
