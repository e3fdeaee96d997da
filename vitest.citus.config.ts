import { defineConfig } from 'vitest/config'

/**
 * The promises that a client can see, on the Citus cluster that CITUS_URL names: a database for tests alone, which is migrated and
 * distributed here. All files share it, each with organizations of its own.
 */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    exclude: [
      // They look at who waits for whom in the views of one server; here locks are on the workers.
      'test/concurrency/{erasures,locks,previews,removed-settings,settings}.test.ts',
      // They rename tables, set triggers or write rows of many tables with statements of their own.
      'test/concurrency/{group-failures,reports}.test.ts',
      'test/conformance/{round-trips,session-settings,silent-files,too-many-links}.test.ts',
    ],
    include: ['test/conformance/**/*.test.ts', 'test/isolation/**/*.test.ts', 'test/concurrency/**/*.test.ts'],
    globalSetup: ['test/support/cluster-setup.ts', 'test/support/listed-failures.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    isolate: false,
  },
})
