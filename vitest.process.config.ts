import { defineConfig } from 'vitest/config'

/**
 * The program as its operator runs it: started, asked, killed at any moment and again and again, and servers whose processes are
 * replaced. Most of it is waiting for starts and for what others take over.
 */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/process/**/*.test.ts', 'test/crash/**/*.test.ts', 'test/several-processes/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // More than there are processors on most machines of a CI: these files mostly wait.
    maxWorkers: 4,
    isolate: false,
  },
})
