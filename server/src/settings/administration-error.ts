import { type Refusal, refuse } from '../kernel/schema/index.ts'

/** A change that cannot be made; the message is one line for the operator who asked for it. */
export class AdministrationError extends Error {
  override readonly name = 'AdministrationError'
}

/** What a decision says of something that there is not. */
export function missing(what: string, id: string): Refusal {
  return refuse('not_found', {}, `no such ${what}: ${id}`)
}

/** Something that there is not. */
export class UnknownSetting extends AdministrationError {}

/** The same, for what is known before anything is decided. */
export function noSuch(what: string, id: string): UnknownSetting {
  return new UnknownSetting(missing(what, id).message)
}
