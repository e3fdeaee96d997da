import { beforeAll, expect, test } from 'vitest'
import { limits } from '../../server/src/kernel/index.ts'
import { aForm } from '../conformance/support/forms.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { standingStill } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('imports of one line')
let measured: Measured
let previews: readonly (readonly [status: number, path: unknown])[] = []

const files = 4

beforeAll(async () => {
  measured = await stage.measure(importAll, { promises: [standingStill] })
})

/** Uploads files as large as they may be, which have no line break, and asks what stands in them. */
async function importAll(): Promise<Outcome> {
  const began = performance.now()
  const file = { name: 'file', fileName: 'a.csv', content: Buffer.alloc(limits.importFileBytes, 'x,') }
  const form = () => aForm([file, { name: 'entityType', content: 'contacts' }])
  const uploaded = await Promise.all(
    Array.from({ length: files }, () => stage.loud.post('/imports', undefined, form())),
  )
  const asked = uploaded.map(({ data }) => stage.loud.post(`/imports/${String(data.id)}/preview`))
  previews = (await Promise.all(asked)).map(({ status, details }) => [status, Object(details.issues)[0]?.path])
  const statuses = { [uploaded[0]?.status ?? 0]: uploaded.length }
  return { statuses, cutOff: 0, longest: 0, firstBody: '', seconds: (performance.now() - began) / 1000 }
}

test('each file is refused, and read no further than a row may be long', () => {
  expect(measured.outcome.statuses).toEqual({ 201: files })
  expect(previews).toEqual(Array.from({ length: files }, () => [422, '/file']))
})

test('the event loop is never held longer than 100 ms', () => {
  expect(standingStill(measured)).toEqual([])
})

everyAttack(stage, () => measured)
