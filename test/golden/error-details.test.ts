import { expect, test } from 'vitest'
import { errorCatalogue } from '../../server/src/kernel/errors/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { expectDocumentedErrors } from '../support/documented-errors.ts'

const failed = (code: string, details: object) => ({ code, message: 'Why', details, requestId: newId() })

test.each(Object.keys(errorCatalogue))(
  'a member of the details of %s that the document does not name is noticed',
  code => {
    expect(() => expectDocumentedErrors({ error: failed(code, { colour: 'red' }) })).toThrow('colour')
  },
)

test('so is one that belongs to another code, one of another type, and one that always has to be there', () => {
  expect(() => expectDocumentedErrors({ error: failed('not_found', { currentVersion: 1 }) })).toThrow('currentVersion')
  expect(() => expectDocumentedErrors({ error: failed('not_found', { mergedIntoId: 7 }) })).toThrow('mergedIntoId')
  expect(() => expectDocumentedErrors({ error: failed('version_conflict', {}) })).toThrow('currentVersion')
})

test('elements of batches are looked at, too', () => {
  const { requestId: _, ...error } = failed('version_conflict', { currentVersion: 2, colour: 'red' })
  expect(() => expectDocumentedErrors({ data: [{ index: 0, status: 409, error }] })).toThrow('colour')
})
