import { type Module } from '../../kernel/index.ts'
import { searchOperation } from './search-records.ts'

export const search: Module = {
  operations: ({ resources }) => [searchOperation(resources.filter(each => each.isSynchronized))],
}
