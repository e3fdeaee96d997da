import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.ts'
import { end, pidOf, printedAddress } from './processes.ts'
import { cpuSeconds, residentBytes } from './usage.ts'

const laterStarts = 5

/**
 * The time from the start of the process by `npm start` until the printed address answers /readyz. The first start has an empty data
 * directory, so it creates the database and the demo organization.
 */
export async function measureStartup(product: string, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-start-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const first = await start(product, dataDirectory, cleanup)
  const later: Started[] = []
  for (let count = 0; count < laterStarts; count += 1) later.push(await start(product, dataDirectory, cleanup))
  const list = (name: keyof Started) => later.map(started => started[name].toFixed(0)).join(', ')
  console.log(
    `first start: ${first.milliseconds.toFixed(0)} ms, ${first.cpu.toFixed(0)} ms of it processor time of Node.js`,
  )
  console.log(`later starts: ${list('milliseconds')} ms, processor time ${list('cpu')} ms`)
  console.log(`memory a second later: ${first.megabytes.toFixed(0)} MB, then ${list('megabytes')} MB`)
}

interface Started {
  readonly milliseconds: number
  /** Milliseconds of processor time of the product's own process. */
  readonly cpu: number
  readonly megabytes: number
}

async function start(product: string, dataDirectory: string, cleanup: Cleanup): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, [product, 'serve'], {
    env: { PATH: process.env['PATH'], CRM_DATA_DIR: dataDirectory, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanup.add(() => end(child))
  await answersReady(child)
  const milliseconds = performance.now() - began
  const cpu = (await cpuSeconds(pidOf(child))) * 1000
  await sleep(1000)
  const megabytes = (await residentBytes(pidOf(child))) / 1024 / 1024
  await end(child)
  return { milliseconds, cpu, megabytes }
}

async function answersReady(child: ChildProcess): Promise<void> {
  const address = await printedAddress(child)
  const response = await fetch(`${address}/readyz`)
  if (!response.ok) throw new Error(`/readyz answers ${response.status}: ${await response.text()}`)
}
