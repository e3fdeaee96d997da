import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { residentBytes } from '../../bench/usage.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import { expectStatus, upload } from '../conformance/support/imports.ts'
import { archive, workbookParts } from '../conformance/support/workbooks.ts'
import { anApplication } from '../process/support/installations.ts'
import { Client } from '../support/client.ts'
import { readersOf } from '../support/readers.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { standingStill, unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const mebibyte = 1024 * 1024
const lookMilliseconds = 250
const longText = 'x'.repeat(bounds.importCell.most - 1)
const header = '<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c></row>'

/** A sheet whose cells all name the first shared text. */
function repeating(texts: readonly string[], rows: number, columns: number): Buffer {
  const cells = '<c t="s"><v>0</v></c>'.repeat(columns)
  const lines = Array.from({ length: rows }, (_, index) => `<row r="${index + 2}">${cells}</row>`)
  return archive(workbookParts({ rows: [header, ...lines], texts }))
}

/** Counts how statuses of answers and reasons of failures came. */
class Tally {
  readonly counts: Record<string, number> = {}

  add(what: unknown): void {
    const name = String(what)
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }
}

const outcomeOf = (tally: Tally, began: number): Outcome => {
  const seconds = (performance.now() - began) / 1000
  return { statuses: tally.counts, cutOff: 0, longest: 0, firstBody: '', seconds }
}

describe('nine small workbooks that hold much', () => {
  const stage = useStage('nine workbooks of 0.9 MB that hold 1.6 GiB')
  let measured: Measured
  let readersMegabytes = 0
  // As many shared texts as a workbook may have, and rows as long and as many as a file may have.
  const texts = Array.from({ length: 990 }, () => longText)
  const files = [
    repeating([longText], 120, 31),
    ...Array.from({ length: 8 }, (_, index) => repeating([`${index}`, ...texts], 100, 1)),
  ]

  beforeAll(async () => {
    await stage.report('the files', files.reduce((sum, file) => sum + file.length, 0) / mebibyte, 'MiB')
    measured = await stage.measure(importAll, { promises: [standingStill], compared: [unfair] })
    await stage.report('memory of a process that reads them', readersMegabytes, 'MB')
  })

  async function importAll(): Promise<Outcome> {
    const began = performance.now()
    const tally = new Tally()
    const begin = async (file: Buffer): Promise<string> => {
      const { id } = expectStatus(await upload(stage.loud, file, { fileName: 'rows.xlsx' }), 201)
      const body = { mapping: { firstName: 0 }, dedupPolicy: 'create_only' }
      expectStatus(await stage.loud.post(`/imports/${id}/start`, body), 202)
      return String(id)
    }
    const ids: string[] = []
    for (const file of files) ids.push(await begin(file))
    for (const id of ids) {
      for (;;) {
        const { data } = await stage.loud.get(`/imports/${id}`)
        for (const { pid } of await readersOf(stage.server.pid))
          readersMegabytes = Math.max(readersMegabytes, (await residentBytes(pid)) / mebibyte)
        if (data.finishedAt !== null) {
          tally.add(data.status)
          break
        }
        await sleep(lookMilliseconds)
      }
    }
    return outcomeOf(tally, began)
  }

  test('each import comes to its end, with a reason for each row', () => {
    const { completed = 0, completed_with_errors: withErrors = 0, ...others } = measured.outcome.statuses
    expect([completed + withErrors, others]).toEqual([files.length, {}])
  })

  test('the process that reads a file has as much memory as it may', () => {
    expect(readersMegabytes).toBeLessThan(bounds.importMemory.most / mebibyte)
  })

  test('the event loop is held for at most 100 ms, and another organization waits at most four times as long', () => {
    expect([...standingStill(measured), ...unfair(measured)]).toEqual([])
  })

  everyAttack(stage, () => measured)
})

describe('workbooks of 50 KiB with 600,000 cells', () => {
  const stage = useStage('previews of workbooks of 50 KiB with 600,000 cells')
  let measured: Measured
  let large: readonly number[] = []
  const longCells = repeating([longText], 3000, 200)
  const shortCells = repeating(['x'], 3000, 200)
  const previews = 4

  beforeAll(async () => {
    await stage.report('the files', (longCells.length + shortCells.length) / 1024, 'KiB')
    const tokens = [stage.scene.loud.token, (await anApplication(stage.database)).token]
    measured = await stage.measure(() => previewAll(tokens), { promises: [standingStill], compared: [unfair] })
    await stage.report('large requests of another organization', JSON.stringify(large))
  })

  /** Two organizations preview their files again and again, while another one sends large requests. */
  async function previewAll(tokens: readonly string[]): Promise<Outcome> {
    const began = performance.now()
    const tally = new Tally()
    let isOver = false
    const largeRequests = (async () => {
      const items = Array.from({ length: 100 }, (_, index) => ({
        externalId: `large-${index}`,
        firstName: 'Anna',
        description: 'x'.repeat(4000),
      }))
      const statuses: number[] = []
      for (; !isOver; await sleep(lookMilliseconds))
        statuses.push((await stage.quiet.post('/contacts/batch/upsert', { items })).status)
      return statuses
    })()
    await Promise.all(
      tokens.map(async token => {
        const client = new Client(stage.server.url, token)
        for (const file of [longCells, shortCells]) {
          const { id } = expectStatus(await upload(client, file, { fileName: 'rows.xlsx' }), 201)
          const answers = await Promise.all(
            Array.from({ length: previews }, () => client.post(`/imports/${id}/preview`, {})),
          )
          for (const { status, error } of answers)
            tally.add(status === 422 ? Object(error).details?.issues?.[0]?.rule : status)
        }
      }),
    )
    isOver = true
    large = await largeRequests
    return outcomeOf(tally, began)
  }

  test('each preview is answered, or gets a Retry-After', () => {
    const { 200: answered = 0, 503: later = 0, ...others } = measured.outcome.statuses
    expect([answered + later, others]).toEqual([4 * previews, {}])
    expect(answered).toBeGreaterThan(0)
  })

  test('large requests of others are all carried out', () => {
    expect(new Set(large)).toEqual(new Set([200]))
  })

  test('the event loop is held for at most 100 ms, and another organization waits at most four times as long', () => {
    expect([...standingStill(measured), ...unfair(measured)]).toEqual([])
  })

  everyAttack(stage, () => measured)
})
