import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Fails if a module cannot be loaded. Stryker only looks at tests, and would count a mutant that breaks loading as survived. */
export class FailureToLoad implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.#vitest?.state.catchError(error, 'Failure to load')
  }
}
