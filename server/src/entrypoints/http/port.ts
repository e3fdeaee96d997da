import { createServer } from 'node:net'
import type { Config } from '../../start/config.ts'

type Address = Pick<Config, 'host' | 'port'>

/** If `localhost` has two addresses, the framework would open a second server, whose connections would not be tracked. */
export function listeningHost({ host }: Address): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

/** Checks that a server can listen there before a database is installed for it. Throws as `explainingListen` does. */
export async function assertCanListen(address: Address): Promise<void> {
  const server = createServer()
  await explainingListen(address, () => {
    return new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(address.port, listeningHost(address), resolve)
    })
  })
  await new Promise(resolve => server.close(resolve))
}

/** Starts to listen. If that fails, throws an error that says what is wrong and which setting changes it. */
export async function explainingListen<Result>(address: Address, listen: () => Promise<Result>): Promise<Result> {
  try {
    return await listen()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const reason = reasonOf(code, address)
    throw reason === undefined ? error : new Error(reason, { cause: error })
  }
}

function reasonOf(code: unknown, { host, port }: Address): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `The port ${port} of ${host} is taken, perhaps by a server that runs already. Stop the program that has it, or set PORT ` +
        `to another one, as in "PORT=${port < 65_535 ? port + 1 : 3000} npm start".`
      )
    case 'EACCES':
      return `This user may not listen on port ${port}. Set PORT to one from 1024 on, or let a proxy listen there.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST is ${host}, which is no address of this machine. Set it to 127.0.0.1, to 0.0.0.0 for all, or to one that it has.`
    default:
      return undefined
  }
}
