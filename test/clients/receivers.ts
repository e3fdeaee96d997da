import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../documentation/markdown.ts'
import { until } from '../support/waiting.ts'

/** A receiver of `examples/webhooks`: as it is, or with another library for signatures. */
interface Verifier {
  readonly language: string
  readonly file: string
  readonly other?: { readonly install: string; readonly replaced: string; readonly by: string }
}

const npm = 'npm install --no-audit --no-fund --loglevel=error --save-exact'
const standardGo = '"github.com/standard-webhooks/standard-webhooks/libraries/go"'

const java = { language: 'java', file: 'src/main/java/example/Receiver.java' }
const go = { language: 'go', file: 'main.go' }
const python = { language: 'python', file: 'receiver.py' }
const javascript = { language: 'javascript', file: 'receiver.js' }

const svixGo = 'github.com/svix/svix-webhooks/go'
const svix = {
  go: { install: `go get ${svixGo}@v1.44.0`, replaced: standardGo, by: `"${svixGo}"` },
  python: { install: 'echo svix==2.9.1 >> requirements.txt', replaced: 'from standardwebhooks.', by: 'from svix.' },
  javascript: { install: `${npm} svix@1.99.1`, replaced: "from 'standardwebhooks'", by: "from 'svix'" },
}

/** By the name of the library and the language. */
export const verifiers: ReadonlyMap<string, Verifier> = new Map<string, Verifier>([
  ['standardwebhooks-java', java],
  ['standardwebhooks-go', go],
  ['standardwebhooks-python', python],
  ['standardwebhooks-javascript', javascript],
  ['svix-go', { ...go, other: svix.go }],
  ['svix-python', { ...python, other: svix.python }],
  ['svix-javascript', { ...javascript, other: svix.javascript }],
])

/** A request as a receiver gets it. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A receiver that listens, and what it has printed. */
export class Receiver {
  readonly secret: string
  readonly #port: number
  readonly #program: ChildProcess
  #printed = ''

  constructor(folder: string, secret: string, port: number) {
    this.secret = secret
    this.#port = port
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
    const program = spawn('sh', ['-e', 'run.sh'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text
    })
    this.#program = program
  }

  get lines(): string[] {
    return this.#printed.trimEnd().split('\n')
  }

  /** Resolves when it has printed that it listens. */
  async listens(): Promise<void> {
    await until('the receiver to listen', () => this.lines[0] === 'listening')
  }

  /** Posts a delivery over a connection of its own; resolves to the status of the answer. */
  send({ headers, body }: Delivery): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#port, method: 'POST', path: '/', headers, agent: false }
      const call = request({ ...options, timeout: 30_000 }, response => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      call.on('error', reject)
      call.on('timeout', () => call.destroy(new Error('the receiver does not answer')))
      call.end(body)
    })
  }

  stop(): void {
    this.#program.kill()
  }
}

/** Copies an example into a folder, replaces its library if need be, and builds it. */
export async function buildReceiver({ language, file, other }: Verifier, folder: string): Promise<void> {
  await cp(join(root, 'examples/webhooks', language), folder, { recursive: true })
  if (other !== undefined) {
    const source = await readFile(join(folder, file), 'utf8')
    if (!source.includes(other.replaced)) throw new Error(`${file} does not have ${other.replaced}`)
    await shell(folder, other.install)
    await writeFile(join(folder, file), source.replace(other.replaced, other.by))
  }
  await shell(folder, await readFile(join(folder, 'build.sh'), 'utf8'))
}

async function shell(cwd: string, script: string): Promise<void> {
  const run = promisify(execFile)('sh', ['-e', '-c', script], { cwd, maxBuffer: 2 ** 26 })
  await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${script}\nfailed:\n${stdout}\n${stderr}`)
  })
}
