import { isObject, type JsonSchema } from '../schema/index.ts'
import { propertiesOf } from './children.ts'

/**
 * The component of a success, by what its `data` is: `ContactAnswer`, `ContactPage` of a list that is paged, `TagList` of one
 * that is not.
 */
export function answerName(data: JsonSchema, meta: JsonSchema): string {
  if (!isObject(data.items)) return `${nameOf(data)}Answer`
  return `${nameOf(data.items)}${'nextCursor' in propertiesOf(meta) ? 'Page' : 'List'}`
}

function nameOf({ $ref, title, component = title }: JsonSchema): string {
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : component
  if (typeof name !== 'string') throw new Error('the data of an answer has no name')
  return name
}
