import { createHash } from 'node:crypto'
import { limits } from '../limits/index.ts'
import { canonicalJson, canonicalPieces } from '../schema/index.ts'

/** What makes two requests the same one (contract section 3, "Fingerprint"). */
export interface Fingerprinted {
  readonly method: string
  /** The route's pattern. */
  readonly route: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** SHA-256 over method, route, path, sorted query and canonical body, so that neither spacing nor order matters. */
export function fingerprint(request: Fingerprinted): Buffer {
  return createHash('sha256')
    .update(`${headOf(request)}${canonicalJson(request.body ?? null)}`)
    .digest()
}

/** The same of a large body, in steps that each take little time. */
export function* fingerprintInSteps(request: Fingerprinted): Generator<unknown, Buffer> {
  const hash = createHash('sha256').update(headOf(request))
  for (const piece of canonicalPieces(request.body ?? null)) {
    hash.update(piece)
    yield
  }
  return hash.digest()
}

function headOf({ method, route, path, query }: Fingerprinted): string {
  return `${method}\n${route}\n${canonicalJson(path)}\n${canonicalJson(query)}\n`
}

const keyForm = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`, 'u')

/** Whether a text can be an `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return keyForm.test(text)
}
