import { createHash, hash } from 'node:crypto'
import { canonicalJson, canonicalPieces } from '../schema/index.ts'

/** The parts of a request that decide whether two requests are equal (contract section 3, "Fingerprint"). */
export interface Fingerprinted {
  readonly method: string
  /** The pattern of the route. */
  readonly route: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** SHA-256 of method, route, path, sorted query and canonical body, so that neither spacing nor order matters. */
export function fingerprint(request: Fingerprinted): Buffer {
  return hash('sha256', `${headOf(request)}${canonicalJson(request.body ?? null)}`, 'buffer')
}

/** The same for a large body, in short steps. */
export function* fingerprintInSteps(request: Fingerprinted): Generator<unknown, Buffer> {
  const sum = createHash('sha256').update(headOf(request))
  for (const piece of canonicalPieces(request.body ?? null)) {
    sum.update(piece)
    yield
  }
  return sum.digest()
}

function headOf({ method, route, path, query }: Fingerprinted): string {
  return `${method}\n${route}\n${canonicalJson(path)}\n${canonicalJson(query)}\n`
}
