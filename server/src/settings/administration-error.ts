/** A change that cannot be made; the message is one line for whoever asked for it. */
export class AdministrationError extends Error {
  override readonly name = 'AdministrationError'
}

export function noSuch(what: string, id: string): AdministrationError {
  return new AdministrationError(`no such ${what}: ${id}`)
}
