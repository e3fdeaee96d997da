import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Stryker looks at tests alone, and would count a mutant with which a module cannot be loaded as one that lives on. */
export class FailureToLoad implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.#vitest?.state.catchError(error, 'Failure to load')
  }
}
