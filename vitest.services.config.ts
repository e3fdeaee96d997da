import { defineConfig } from 'vitest/config'

/** Tests that need programs which npm does not install: redis-server, Chromium, weed of SeaweedFS, and Debian's PostgreSQL and PgBouncer. They fail where these are missing. */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/services/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // As in the other tests: the product is loaded once, and not for each file.
    isolate: false,
  },
})
