import { defineConfig } from 'vitest/config'

/** Clients that generators of five kinds make of the document. Needs Python, Go, a JDK with Maven, and their registries. */
export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
  },
})
