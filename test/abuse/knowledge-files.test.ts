import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { residentBytes } from '../../bench/usage.ts'
import { knowledgeBounds } from '../../server/src/ai-agents/knowledge-bases/knowledge-bounds.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { hostileFiles } from '../knowledge/support/hostile-files.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import { readersOf } from '../support/readers.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('hostile files of knowledge bases, all at once')
let measured: Measured
let files: readonly JsonObject[] = []
let readers: readonly number[] = []
let megabytesOfReader = 0

const lookMilliseconds = 100
const mebibyte = 1024 * 1024
/** The bound, and what a process takes until it is looked at and ended. */
const mostMegabytesOfReader = knowledgeBounds.knowledgeMemory.most / mebibyte + 256

beforeAll(async () => {
  const base = await aBase(stage.quiet)
  const paths = [`${basesPath}/${base}/files`]
  measured = await stage.measure(uploadAll, { paths, compared: [unfair] })
  await stage.report('processes that read files at a time', Math.max(...readers))
  await stage.report('memory of one of them', megabytesOfReader, 'MB')
})

/** Uploads every file at the same time to a new base, and waits until each was read. */
async function uploadAll(): Promise<Outcome> {
  const began = performance.now()
  const base = await aBase(stage.loud)
  const sent = hostileFiles.map(({ name, content }, index) => ({ base, id: `f${index}`, name, content: content() }))
  const answers = await Promise.all(sent.map(file => putFile(stage.loud, file)))
  const statuses: Record<string, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  do {
    await sleep(lookMilliseconds)
    await lookAtReaders()
    files = (await stage.loud.get(`${basesPath}/${base}/files`)).items
  } while (files.some(({ status }) => status === 'queued' || status === 'indexing'))
  return { statuses, cutOff: 0, longest: 0, firstBody: '', seconds: (performance.now() - began) / 1000 }
}

async function lookAtReaders(): Promise<void> {
  const found = await readersOf(stage.server.pid)
  readers = [...readers, found.length]
  for (const { pid } of found) {
    const megabytes = (await residentBytes(pid)) / mebibyte
    if (megabytes > megabytesOfReader) megabytesOfReader = megabytes
  }
}

test('each file fails with its reason', () => {
  expect(measured.outcome.statuses).toEqual({ 200: hostileFiles.length })
  const codes = new Map(files.map(({ id, status, error }) => [id, [status, Object(error).code]]))
  expect(hostileFiles.map(({ about }, index) => [about, codes.get(`f${index}`)])).toEqual(
    hostileFiles.map(({ about, code }) => [about, ['failed', code]]),
  )
})

test("an organization's files are read one at a time, in a process with bounded memory", () => {
  expect(Math.max(...readers)).toBe(bounds.organizationReaders.most)
  expect(megabytesOfReader).toBeLessThan(mostMegabytesOfReader)
})

test('another organization waits at most four times as long as alone', () => {
  expect(unfair(measured)).toEqual([])
})

everyAttack(stage, () => measured)
