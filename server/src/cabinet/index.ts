import { count, facet, type Module } from '../kernel/index.ts'

/** What the pages of the product read and keep beside the records. */
export const cabinet: Module = {
  operations: [],
  cabinetOperations: ({ resources }) => {
    const listed = resources.filter(({ isSynchronized }) => isSynchronized)
    return [...listed.map(count), ...listed.map(facet)]
  },
}
