import { defineConfig } from 'vitest/config'

/**
 * The program, killed at any moment and again and again, and servers whose processes are replaced: most of it is waiting for starts and
 * for what others take over.
 */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/crash/**/*.test.ts', 'test/several-processes/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    isolate: false,
  },
})
