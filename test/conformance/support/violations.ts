import type { ErrorObject } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { isObject } from '../../../server/src/kernel/schema/index.ts'

const replacements = fc.constantFrom<unknown>(
  ...[null, true, 7, -1, 1.5, 2 ** 60, '', '  ', 'a\u0000b', 'x'.repeat(25_000), 'no such word', '+1', '1e3', '-1'],
  ...[[], {}, [null], { id: 'x' }, { externalId: ' a' }, [{ id: '019bd1c8-7c40-7afd-86bb-3e1518eaef8d', more: 1 }]],
)

/** A value with one place of it changed: replaced, taken away, doubled, or with a member more. */
export function changesOf(value: unknown): fc.Arbitrary<unknown> {
  const changes = [replacements]
  if (Array.isArray(value) && value.length > 0) {
    changes.push(
      fc.constant([...value, ...value.slice(0, 1)]),
      fc.nat(value.length - 1).chain(index => changesOf(value[index]).map(next => value.with(index, next))),
    )
  }
  if (isObject(value)) {
    changes.push(fc.constant({ ...value, colour: 'red' }))
    const names = Object.keys(value)
    if (names.length > 0) {
      const anyName = fc.constantFrom(...names)
      const without = (name: string) => Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))
      changes.push(
        anyName.map(without),
        anyName.chain(name => changesOf(value[name]).map(next => ({ ...value, [name]: next }))),
        anyName.chain(name => changesOf(value[name]).map(next => ({ ...value, [name]: next }))),
      )
    }
  }
  return fc.oneof(...changes)
}

/** What the server takes and the document does not tell of, so that a value has one type and one form there. */
const tolerated: readonly ((error: ErrorObject) => boolean)[] = [
  // A blank text is as good as null.
  ({ data, parentSchema }) => typeof data === 'string' && data.trim() === '' && allowsNull(parentSchema),
  // An amount may be a number, and what is computed of a phone may be sent back, whatever it is.
  ({ instancePath, data }) => instancePath.endsWith('/amount') && typeof data === 'number',
  ({ instancePath }) => instancePath.endsWith('/e164'),
]

/** Whether one of these is a violation that the server does not mind. */
export function isTolerated(errors: readonly ErrorObject[] | null | undefined): boolean {
  return (errors ?? []).some(error => tolerated.some(minds => minds(error)))
}

function allowsNull(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema.type) && schema.type.includes('null')
}
