import { defineConfig } from 'vitest/config'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Stryker looks at tests alone, and would count a mutant with which a module cannot be loaded as one that lives on. */
class FailureToLoad implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.#vitest?.state.catchError(error, 'Failure to load')
  }
}

// What Stryker runs for each mutant: the tests of the pure parts, which need no database.
export default defineConfig({
  test: {
    include: [
      'server/src/**/*.rules.test.ts',
      'server/src/kernel/*.test.ts',
      'server/src/kernel/{schema,write,abilities}/**/*.test.ts',
    ],
    reporters: [new FailureToLoad()],
    // That of all tests: with every place that can be altered in it, a source takes many times as long.
    testTimeout: 60_000,
    isolate: false,
  },
})
