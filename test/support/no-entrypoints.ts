import type { Entrypoints } from '../../server/src/entrypoints/cli/index.ts'

/** For commands that do not use the other entrypoints. */
export const noEntrypoints: Entrypoints = {
  serve: async () => 0,
  confirm: async () => false,
}
