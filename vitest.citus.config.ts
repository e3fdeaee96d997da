import { defineConfig } from 'vitest/config'

/**
 * The promises that a client can see, on the Citus cluster that CITUS_URL names: a database for tests alone, which is migrated and
 * distributed here. All files share it, each with organizations of its own.
 */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/conformance/**/*.test.ts', 'test/isolation/**/*.test.ts', 'test/concurrency/**/*.test.ts'],
    globalSetup: ['test/support/cluster-setup.ts', 'test/support/listed-failures.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    isolate: false,
  },
})
