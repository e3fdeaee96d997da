import { readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { queueRevision } from './queue-schema.ts'

it('the revision of the queue is the one that the library brings', async () => {
  const files = await readdir(new URL('../../../../node_modules/graphile-worker/sql/', import.meta.url))
  expect(Math.max(...files.map(name => Number.parseInt(name, 10)))).toBe(queueRevision)
})
