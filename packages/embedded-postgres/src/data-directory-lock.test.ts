import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tryToLock } from './data-directory-lock.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-lock-'))
  file = join(folder, 'lock')
})

afterEach(() => rm(folder, { recursive: true }))

const leftBy = (pid: number, id: string, started = 'before') =>
  JSON.stringify({ id, pid, started, role: 'server', state: { name: 'starting' } })

const deadPid = spawnSync('true').pid

async function contend(): Promise<number> {
  const attempts = await Promise.all(Array.from({ length: 8 }, () => tryToLock(file, 'server')))
  const locks = attempts.flatMap(attempt => ('lock' in attempt ? [attempt.lock] : []))
  await Promise.all(locks.map(lock => lock.release()))
  return locks.length
}

test('one of many contenders takes a free lock', async () => {
  for (let round = 0; round < 50; round++) expect(await contend()).toBe(1)
})

test('one of many contenders takes the lock of a dead process', async () => {
  for (let round = 0; round < 50; round++) {
    await writeFile(file, leftBy(deadPid, `dead-${round}`))
    expect(await contend()).toBe(1)
  }
  expect(await readdir(folder)).toEqual([])
})

test('one of many contenders takes the lock when a taker died in the middle of taking it over', async () => {
  await writeFile(file, leftBy(deadPid, 'first'))
  await writeFile(`${file}.after-first`, leftBy(deadPid, 'second'))
  expect(await contend()).toBe(1)
})

test('a process that got the number of the dead holder does not keep the lock', async () => {
  await writeFile(file, leftBy(process.pid, 'dead', 'at another time'))
  expect(await contend()).toBe(1)
})

test('a damaged lock file is named, not ignored', async () => {
  await writeFile(file, '')
  await expect(tryToLock(file, 'server')).rejects.toThrow(`${file} is damaged`)
})
