import type { Refusal } from '../errors/index.ts'
import type { Admission } from './admission.ts'

/**
 * The bytes on disk that one request holds. They are not part of its `AdmittedRequest`: that ends when the client disconnects, but the files are
 * kept until the request was executed.
 */
export class DiskShare {
  readonly #admission: Admission
  readonly #organizationId: string
  #held = 0

  constructor(admission: Admission, organizationId: string) {
    this.#admission = admission
    this.#organizationId = organizationId
  }

  /** Raises the share to this many bytes; a refusal (503) if there is no room. */
  reach(bytes: number): Refusal | null {
    const more = bytes - this.#held
    if (more <= 0) return null
    const { spoolBytes } = this.#admission
    const exceeded = spoolBytes.exceeded(this.#organizationId, more)
    if (exceeded !== null) return this.#admission.refuse(exceeded)
    spoolBytes.take(this.#organizationId, more)
    this.#held = bytes
    return null
  }

  giveBack(): void {
    this.#admission.spoolBytes.give(this.#organizationId, this.#held)
    this.#held = 0
  }
}
