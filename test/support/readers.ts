import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A process that reads untrusted files. */
interface Reader {
  readonly pid: number
  /** Its command line, followed by its environment. */
  readonly command: string
}

/** The processes that a server, or a test in its place, has started to read untrusted files. */
export async function readersOf(parent: number): Promise<Reader[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,ppid=,args='])
  return stdout.split('\n').flatMap(line => {
    const [, pid, of, command = ''] = /^ *(\d+) +(\d+) (.*)$/u.exec(line) ?? []
    return /(?:extraction|reading)-process/u.test(command) && Number(of) === parent
      ? [{ pid: Number(pid), command }]
      : []
  })
}
