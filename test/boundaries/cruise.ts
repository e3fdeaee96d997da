import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IViolation } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'

const configuration = fileURLToPath(new URL('../../.dependency-cruiser.mjs', import.meta.url))

export interface Violation {
  readonly rule: string
  /** The file that imports what it may not; of a cycle, each file. */
  readonly files: readonly string[]
  readonly text: string
}

export interface Import {
  readonly from: string
  readonly to: string
}

export interface Findings {
  /** Names of all configured rules. */
  readonly rules: readonly string[]
  /** Files that were read, relative to the base directory. */
  readonly modules: readonly string[]
  readonly imports: readonly Import[]
  readonly violations: readonly Violation[]
}

/** Checks the folders of one tree against the configured rules. */
export async function findViolations(baseDir: string, folders: readonly string[]): Promise<Findings> {
  const options = await extractOptions(configuration)
  // A link to the installed packages counts as the packages.
  const { output } = await cruise([...folders], { ...options, baseDir: resolve(baseDir), preserveSymlinks: true })
  if (typeof output === 'string') throw new Error(output)
  const { modules, summary }: ICruiseResult = output
  return {
    rules: options.ruleSet?.forbidden?.map(rule => rule.name ?? 'unnamed') ?? [],
    modules: modules.map(({ source }) => source),
    imports: modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    ),
    violations: summary.violations.map(describe),
  }
}

function describe({ rule, from, to, cycle }: IViolation): Violation {
  const files = cycle === undefined ? [from] : cycle.map(({ name }) => name)
  const path = cycle === undefined ? [from, to] : [from, ...files]
  return { rule: rule.name, files, text: `${rule.name}: ${path.join(' -> ')}` }
}
