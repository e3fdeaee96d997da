import { describe, expect, it } from 'vitest'
import { compileSchema, compileSchemas } from './validator.ts'

describe('checks that were not used yet', () => {
  it('are compiled before a server listens, and not by its first requests', async () => {
    compileSchema({ type: 'no type of JSON Schema' })
    await expect(compileSchemas()).rejects.toThrow('schema is invalid')
    await expect(compileSchemas()).resolves.toBeUndefined()
  })
})
