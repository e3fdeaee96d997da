import { expect, test } from 'vitest'
import { errorCatalogue } from '../../server/src/kernel/errors/index.ts'
import { failuresOf } from '../../server/src/kernel/openapi/index.ts'
import { operations } from '../../server/src/modules.ts'
import { nodeAt, placeOf } from './document.ts'
import { goldenDocument } from './render.ts'

test.each(Object.entries(errorCatalogue))(
  'the document says what %s means, whether the same request may be sent again, and where all codes are listed',
  (code, { meaning, again }) => {
    const { [code]: schema } = nodeAt(goldenDocument, '/components/schemas/Failure/discriminator/mapping')
    const { description, externalDocs } = nodeAt(goldenDocument, String(schema).slice(1))
    expect(description).toContain(`${meaning} The same request ${again ? 'may be sent again' : 'is refused again'}`)
    expect(externalDocs).toMatchObject({ url: 'reference#description/errors' })
    const { description: introduction } = nodeAt(goldenDocument, '/info')
    expect(introduction).toContain(`| \`${code}\` | ${meaning} | ${again ? 'yes' : 'no'}`)
  },
)

test('each operation says when each code of its own occurs', () => {
  for (const operation of operations) {
    const { description } = nodeAt(goldenDocument, placeOf(operation))
    const told = [...String(description).matchAll(/^- (\d+) `(\w+)`: ([A-Z`].*\.)$/gmu)]
    const listed = new Set(told.map(([, status, code]) => `${status} ${code}`))
    const own = operation.refuses.map(([code]) => (code === 'unprocessable' ? 'validation_error' : code))
    expect({ id: operation.id, codes: [...listed].map(each => each.slice(4)).toSorted() }).toEqual({
      id: operation.id,
      codes: [...new Set(own)].toSorted(),
    })
  }
})

test('each response of a failure explains its codes', () => {
  const operation = operations.find(({ id }) => id === 'contacts.update')
  if (operation === undefined) throw new Error('there is no such operation')
  for (const [status, codes] of failuresOf(operation)) {
    const { $ref } = nodeAt(goldenDocument, `${placeOf(operation)}/responses/${status}`)
    const { description } = nodeAt(goldenDocument, String($ref).slice(1))
    for (const code of codes) expect(description).toContain(`- \`${code}\`: ${errorCatalogue[code].meaning}`)
  }
})
