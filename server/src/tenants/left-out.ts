/**
 * Tables of an organization that its file does not have, each with the reason. Every other table with `organization_id` is in
 * it, also one of a later version; a table or column that holds a secret has to be named here.
 */
export const leftOut: ReadonlyMap<string, string> = new Map([
  [
    'api_tokens',
    'Hashes of secrets that are good for one installation: tokens are created anew where the organization goes.',
  ],
])
