import { chmod, chown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../../scripts/release/run.ts'
import {
  type Ending,
  type Environment,
  Program,
  postmasterOf,
  readyAt,
  type Server,
  sendSignal,
} from '../../support/process.ts'

const nobody = { uid: 65534, gid: 65534 }
const user = process.getuid?.() === 0 ? nobody : undefined

/** An ordinary user with an empty folder, on a machine that has a shell and hardly a program. */
export class Stranger {
  readonly home: string
  readonly #path: string
  readonly #programs: Program[] = []

  private constructor(home: string, path: string) {
    this.home = home
    this.#path = path
  }

  /** `also` are programs that are on the machine beside those of any Debian, by name and place. */
  static async on(also: Readonly<Record<string, string>> = {}): Promise<Stranger> {
    const folder = await mkdtemp(join(tmpdir(), 'crm-stranger-'))
    await chmod(folder, 0o755)
    const [home, path] = [join(folder, 'home'), join(folder, 'bin')]
    for (const made of [home, path]) await mkdir(made)
    if (user !== undefined) await chown(home, user.uid, user.gid)
    const usual = {
      dirname: '/usr/bin/dirname',
      readlink: '/usr/bin/readlink',
      tar: '/usr/bin/tar',
      gzip: '/usr/bin/gzip',
    }
    for (const [name, place] of Object.entries({ ...usual, ...also })) await symlink(place, join(path, name))
    return new Stranger(home, path)
  }

  start(command: readonly [string, ...string[]], environment: Environment = {}): Program {
    const program = new Program(command, { PATH: this.#path, TMPDIR: '/tmp', ...environment }, user, this.home)
    this.#programs.push(program)
    return program
  }

  run(...command: readonly [string, ...string[]]): Promise<Ending> {
    return this.start(command).ended
  }

  /** Starts a server on a free port and waits until it says that it is ready. */
  async serve(program: string): Promise<Server> {
    const server = this.start([program, 'serve'], { PORT: '0' })
    const [, url = ''] = await server.printed(readyAt)
    return Object.assign(server, { url })
  }

  /** What the request answers that a starting server has shown. The stranger has the token made, and this machine has curl. */
  async trying(server: Server): Promise<{ readonly data: readonly unknown[] }> {
    const [, curl = ''] = await server.printed(/^ {2}(curl .*)$/mu)
    const [whole = '', command = ''] = /\$\((.+ demo token)\)/u.exec(curl) ?? []
    const { out } = await this.run('/bin/sh', '-c', command)
    return JSON.parse(await run('sh', ['-c', curl.replace(whole, out.trim())]))
  }

  /** Whether the database of the folder in which it all happened still runs. */
  async hasDatabase(): Promise<boolean> {
    return (await postmasterOf(join(this.home, '.data'))) !== null
  }

  async leave(): Promise<void> {
    for (const program of this.#programs) if (program.running) program.send('SIGKILL')
    await Promise.all(this.#programs.map(program => program.ended))
    const pid = await postmasterOf(join(this.home, '.data'))
    if (pid !== null) sendSignal(pid, 'SIGKILL')
    await rm(join(this.home, '..'), { recursive: true, force: true, maxRetries: 10 })
  }
}
