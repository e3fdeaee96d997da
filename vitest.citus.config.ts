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
      // They look for a statement that waits, by its name, in the views of one server: nodes are sent statements without names.
      'test/concurrency/{erasures,locks,previews,removed-settings,settings}.test.ts',
      // They make writes fail with a trigger, and reports slow with a view in the place of a table: Citus takes neither.
      'test/concurrency/{group-failures,reports}.test.ts',
      // It copies a database and takes its epoch for its own: here all files share the one of the cluster, of which no copy can be made.
      'test/conformance/feed-epoch.test.ts',
      // It is about the settings of one server that is not part of a cluster.
      'test/conformance/session-settings.test.ts',
    ],
    include: ['cluster', 'conformance', 'isolation', 'concurrency'].map(folder => `test/${folder}/**/*.test.ts`),
    globalSetup: ['test/support/cluster-setup.ts', 'test/support/listed-failures.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // They share the queue of jobs as well: what one file has queued, no other may run.
    maxWorkers: 1,
    isolate: false,
  },
})
