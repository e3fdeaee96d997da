import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { requestText, Wire } from '../process/support/wire.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('writes of one connection')

const writes = 16

test('writes that are sent at once on one connection run in their order', async () => {
  const { data } = await stage.loud.post('/contacts', { firstName: 'Anna' })
  const wire = await Wire.open(stage.server.url)
  for (let expectedVersion = 1; expectedVersion <= writes; expectedVersion += 1) {
    const headers = {
      Authorization: `Bearer ${stage.scene.loud.token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    }
    const body = JSON.stringify({ expectedVersion, firstName: `Anna ${expectedVersion}` })
    wire.send(requestText('PATCH', `/api/v1/crm/contacts/${data.id}`, headers, body))
  }
  const answers = await wire.answered(writes)
  wire.hangUp()
  const statuses = answers.map(({ status }) => status)
  await stage.report('applied of 16', statuses.filter(status => status === 200).length)
  expect(statuses).toEqual(Array.from({ length: writes }, () => 200))
})
