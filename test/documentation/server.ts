import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readyAt } from '../support/process.ts'

/** A server as an operator starts it, with a data directory of its own. */
export interface RunningServer {
  readonly program: string
  readonly url: string
  readonly dataDirectory: string
  /** Ends it as an operator does, removes its data, and tells its exit status. */
  stop(): Promise<number | null>
}

/** Runs a compiled program on a free port, with these variables besides; resolves when the server says that it is ready. */
export async function startServer(
  program: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-documentation-'))
  // Root's database belongs to another user, who passes through here.
  await chmod(dataDirectory, 0o755)
  const server = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env['PATH'], CRM_DATA_DIR: dataDirectory, PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>(resolve => server.on('close', resolve))
  const stop = async () => {
    server.kill('SIGTERM')
    const status = await ended
    await rm(dataDirectory, { recursive: true, force: true })
    return status
  }
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (text: string) => {
      said += text
      const address = readyAt.exec(said)?.[1]
      if (address !== undefined) resolve(address)
    }
    server.stdout.setEncoding('utf8').on('data', listen)
    server.stderr.setEncoding('utf8').on('data', listen)
    void ended.then(() => reject(new Error(`the server ended: ${said}`)))
  }).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { program, url, dataDirectory, stop }
}
