import type { Shells } from '../../server/src/shells/cli/index.ts'

/** For commands that have nothing to do with the other shells. */
export const noShells: Shells = {
  serve: async () => 0,
  confirm: async () => false,
  sampleWriter: () => ({ upsert: async () => [], setTags: async () => {} }),
}
