import { beforeAll, expect, test } from 'vitest'
import { everyAttack } from './support/promises.ts'
import type { Observation } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('A bodies in chunks of one byte')
let inOnePiece: Observation
let measured: Measured

// ABUSE_CHUNKED_MEBIBYTES=4.9 is nearly all that a body may have, and takes two minutes.
const mebibytes = Number(process.env['ABUSE_CHUNKED_MEBIBYTES'] ?? '0.5')
/**
 * The room for young objects, which millions of chunks fill and two bodies in one piece do not: 85 to 100 MB, for four times as many chunks
 * too. A million chunks that are kept would take more than the rest.
 */
const allowedMegabytes = 128

beforeAll(async () => {
  const body = JSON.stringify({ items: [{ externalId: 'in-bytes', firstName: 'Anna' }] }).padEnd(
    mebibytes * 1024 * 1024,
  )
  const request = { method: 'POST', path: '/contacts/batch/upsert', body } as const
  ;[inOnePiece] = await stage.watch([], () => stage.attack({ connections: 2, request }))
  measured = await stage.measure(() => stage.attack({ connections: 2, request: { ...request, inBytes: true } }))
  await stage.report('memory for the same in one piece', inOnePiece.megabytes, 'MB')
})

test('a body in chunks of one byte takes no more memory than in one piece', () => {
  expect(measured.during.megabytes).toBeLessThan(inOnePiece.megabytes + allowedMegabytes)
  expect(measured.outcome.statuses).toEqual({ 200: 2 })
})

everyAttack(stage, () => measured)
