import { defineConfig } from 'vitest/config'

/** An upgrade from the release before, which is taken from git, installed and compiled. Needs its tag, and the registry of npm. */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/upgrade/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
  },
})
