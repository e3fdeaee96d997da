import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { compiledProgram, root } from '../support/compiled.ts'
import { isAlive, Program, postmasterOf, readyAt, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'

const processes = useProcesses()

/** A folder with what the scripts of `package.json` run, and nothing compiled. */
async function aClone(): Promise<string> {
  const copy = await processes.folder()
  await mkdir(join(copy, 'scripts'))
  for (const name of ['package.json', 'scripts/assert-startable.mjs'])
    await copyFile(join(root, name), join(copy, name))
  return copy
}

test.each([['start'], ['run', '-s', 'crm', '--', 'doctor']])(
  'npm %s reports a Node.js that is too old, and a server that is not compiled',
  async (...words) => {
    const copy = await aClone()
    const described = await readFile(join(copy, 'package.json'), 'utf8')
    const reason = async (text: string) => {
      await writeFile(join(copy, 'package.json'), text)
      const { code, stderr } = await promisify(execFile)('npm', words, { cwd: copy }).then(
        () => ({ code: 0, stderr: '' }),
        (error: { code: number; stderr: string }) => error,
      )
      expect(code).toBe(1)
      return stderr
    }
    expect(await reason(described)).toContain(
      'The server is not compiled: there is no server/dist/main.js. Run "npm ci"',
    )
    const tooOld = `Node.js 999.1 or later is needed, this is ${process.versions.node}. Install Node.js 24`
    expect(await reason(described.replace('"node": ">=20.19"', '"node": ">=999.1"'))).toContain(tooOld)
  },
)

test.each(['dash', 'bash'])('SIGTERM ends all processes of npm start, also with %s for its shell', async shell => {
  const clone = await aClone()
  await symlink(dirname(dirname(await compiledProgram())), join(clone, 'server'))
  const folder = await processes.startedBefore()
  const variables = { CRM_DATA_DIR: folder, PORT: '0', npm_config_update_notifier: 'false' }
  const program = new Program(['npm', 'start', `--script-shell=${shell}`], variables, undefined, clone)
  onTestFinished(() => program.send('SIGKILL'))
  await program.printed(readyAt)
  const postmaster = await postmasterOf(folder)
  expect(postmaster).not.toBeNull()
  program.send('SIGTERM')
  await until('the end of the database', () => (isAlive(Number(postmaster)) ? null : true))
  expect((await program.ended).err).toContain('stopping: SIGTERM')
})

test('no package runs a script of its own when it is installed, and npm has nothing to warn of', async () => {
  const read = async (name: string): Promise<Described> => JSON.parse(await readFile(join(root, name), 'utf8'))
  const { packages = {} } = await read('package-lock.json')
  const { allowScripts } = await read('package.json')
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  )
  expect(scripted.length).toBeGreaterThan(0)
  expect(allowScripts).toEqual(Object.fromEntries(scripted.map(name => [name, false])))
})

interface Described {
  readonly packages?: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}
