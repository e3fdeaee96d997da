import { beforeAll, expect, test } from 'vitest'
import { partsOf } from '../process/support/parts.ts'
import { childrenOf, isAlive, type Program, postmasterOf, sendSignal, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'

const processes = useProcesses()
let folder: string
beforeAll(async () => {
  folder = await processes.startedBefore()
})

/** Starts a server in a terminal, and gives the number of its process. */
async function served(flags: readonly string[]): Promise<{ terminal: Program; pid: number }> {
  const terminal = processes.startInTerminal(['serve', ...flags], { CRM_DATA_DIR: folder, PORT: '0' })
  await terminal.printed(/CRM server ready/u)
  const [server] = childrenOf(terminal.pid)
  if (server === undefined) throw new Error('the server has ended')
  return { terminal, pid: server.pid }
}

const noneRuns = (pids: readonly number[]) => until('the end of all', () => !pids.some(isAlive))

test('a server ends when its terminal is closed', async () => {
  const { terminal, pid } = await served([])
  await terminal.end('SIGKILL')
  await noneRuns([pid])
  expect(await postmasterOf(folder)).toBeNull()
})

test('SIGHUP replaces the processes of a server, and ends all when it comes because the terminal is closed', async () => {
  const { terminal, pid } = await served(['--processes', '2'])
  const parts = () => partsOf({ pid })
  const former = parts()
  expect(former).toHaveLength(3)

  sendSignal(pid, 'SIGHUP')
  await until('new processes', () => parts().length === 3 && !parts().some(part => former.includes(part)))

  const all = [pid, ...parts()]
  await terminal.end('SIGKILL')
  await noneRuns(all)
  expect(await postmasterOf(folder)).toBeNull()
})
