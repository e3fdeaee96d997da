import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The numbers of the processes in which a server, or what it left behind, reads files of knowledge bases. */
export async function readersOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout.split('\n').flatMap(line => {
    const [pid = 0, of = 0] = line.trim().split(/\s+/u).map(Number)
    return line.includes('extraction-process') && of === parent ? [pid] : []
  })
}
