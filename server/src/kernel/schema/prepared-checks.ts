import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { programFolder } from '../product/index.ts'
import type { JsonSchema } from './json.ts'

export type Formats = Readonly<Record<string, { readonly type: 'string'; validate(text: string): boolean }>>

/** A quick check stops at the first issue, a thorough one finds all. */
export type CheckKind = 'quick' | 'thorough'

type Checks = Readonly<Record<string, ValidateFunction>>

/** Where the build writes the checks, beside the compiled program. A program that runs from its sources has none. */
const place = fileURLToPath(new URL('prepared/', programFolder))

/**
 * Checks of JSON Schemas that were compiled with the program (`scripts/prepare-start.ts`). Compiling them takes longer than the rest of a
 * start. Those of a kind are loaded when the first of them is needed: a start needs no thorough ones. A schema that was not among them is
 * compiled when it is first needed.
 */
export class PreparedChecks {
  readonly #loaded = new Map<CheckKind, Checks>()
  readonly #formats: Formats
  readonly #folder: string

  constructor(formats: Formats, folder = place) {
    this.#formats = formats
    this.#folder = folder
  }

  find(kind: CheckKind, schema: JsonSchema): ValidateFunction | undefined {
    const checks = this.#loaded.get(kind) ?? this.#load(kind)
    this.#loaded.set(kind, checks)
    return checks[checkKey(schema)]
  }

  #load(kind: CheckKind): Checks {
    const file = join(this.#folder, fileOfChecks(kind))
    if (!existsSync(file)) return {}
    const load = createRequire(import.meta.url)
    const make: (formats: Formats, load: NodeJS.Require) => Checks = load(file)
    return make(this.#formats, load)
  }
}

/** The name of the file with the checks of a kind. */
export const fileOfChecks = (kind: CheckKind) => `${kind}-checks.cjs`

/** A schema's name among prepared checks. Equal schemas share one check. */
export function checkKey(schema: JsonSchema): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64url')
}
