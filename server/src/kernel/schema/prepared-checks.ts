import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { programFolder } from '../product/index.ts'
import type { JsonSchema } from './json.ts'

export type Formats = Readonly<Record<string, { readonly type: 'string'; validate(text: string): boolean }>>

type Kind = 'quick' | 'thorough'
type Found = Readonly<Record<string, ValidateFunction>>

/** Where the build writes the checks, beside the compiled program. A program that runs from its sources has none. */
const place = fileURLToPath(new URL('prepared/checks.cjs', programFolder))

/**
 * Checks of JSON Schemas that were compiled with the program (`scripts/prepare-start.ts`). Compiling them takes longer than the rest of a
 * start. A schema that was not among them is compiled when it is first needed.
 */
export class PreparedChecks {
  readonly #kinds: Readonly<Record<Kind, Found>>

  constructor(formats: Formats, file = place) {
    this.#kinds = existsSync(file) ? loaded(file, formats) : { quick: {}, thorough: {} }
  }

  find(kind: Kind, schema: JsonSchema): ValidateFunction | undefined {
    return this.#kinds[kind][checkKey(schema)]
  }
}

function loaded(file: string, formats: Formats): Readonly<Record<Kind, Found>> {
  const load = createRequire(import.meta.url)
  const make: (formats: Formats, load: NodeJS.Require) => Readonly<Record<Kind, () => Found>> = load(file)
  const { quick, thorough } = make(formats, load)
  return { quick: quick(), thorough: thorough() }
}

/** A schema's name among prepared checks. Equal schemas share one check. */
export function checkKey(schema: JsonSchema): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64url')
}
