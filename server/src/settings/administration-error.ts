import { type Refusal, refuse } from '../kernel/schema/index.ts'

/** A change that is refused; the message is one line for the operator who requested it. */
export class AdministrationError extends Error {
  override readonly name = 'AdministrationError'
  /** The refusal with all that is wrong, for clients; absent if the message is all there is. */
  readonly refusal: Refusal | undefined

  constructor(message: string, refusal?: Refusal) {
    super(message)
    this.refusal = refusal
  }
}

/** The refusal that a decision returns if something does not exist. */
export function missing(what: string, id: string): Refusal {
  return refuse('not_found', {}, `no such ${what}: ${id}`)
}

/** Something that does not exist. */
export class UnknownSetting extends AdministrationError {}

/** The same, for checks before the decision. */
export function noSuch(what: string, id: string): UnknownSetting {
  return new UnknownSetting(missing(what, id).message)
}
