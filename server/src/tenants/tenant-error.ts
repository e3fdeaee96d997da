/** Something that cannot be done with an organization or its file; the message is one line for whoever asked for it. */
export class TenantError extends Error {
  override readonly name = 'TenantError'
}
