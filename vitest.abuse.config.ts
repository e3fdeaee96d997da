import { defineConfig } from 'vitest/config'

/** Attacks on the started program, with time and memory measured: one after the other, with nothing beside them. */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/abuse/**/*.test.ts'],
    globalSetup: ['test/abuse/support/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    fileParallelism: false,
    isolate: false,
  },
})
