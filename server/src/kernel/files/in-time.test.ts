import { expect, test, vi } from 'vitest'
import { FileStoreFailure } from './file-store.ts'
import { inTime } from './in-time.ts'

test('a result that comes too late and cannot be released does not end the process', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  let open = (_: string) => {}
  const opening = new Promise<string>(resolve => {
    open = resolve
  })
  const letGo = vi.fn(async () => {
    throw new Error('the disk fails')
  })
  await expect(inTime(opening, 1, letGo)).rejects.toThrow(FileStoreFailure)
  open('a folder')
  await new Promise(resolve => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(letGo).toHaveBeenCalledWith('a folder')
  expect(unhandled).not.toHaveBeenCalled()
})
