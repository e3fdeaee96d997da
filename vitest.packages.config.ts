import { defineConfig } from 'vitest/config'

/**
 * What a release consists of, installed and run, and the files of `deploy`, checked by the tools that read them. Needs a root, the
 * registry of npm, Debian's packages, and what `.ci/packages` installs.
 */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/packages/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/packages/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    isolate: false,
  },
})
