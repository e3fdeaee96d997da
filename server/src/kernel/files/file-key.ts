/** The purpose of a file. It is part of the key, so that operators can tell files apart. */
export const filePurposes = ['attachment', 'export', 'import', 'import_errors', 'import_rows', 'knowledge'] as const

export type FilePurpose = (typeof filePurposes)[number]

/** What identifies a file. */
export interface FileName {
  readonly organizationId: string
  readonly purpose: FilePurpose
  /** A new UUID for every file. */
  readonly id: string
}

/**
 * The key of a file in its store. It starts with the organization, so that all files of an organization can be listed and removed by
 * prefix, and contains nothing that a client sent.
 */
export function fileKey({ organizationId, purpose, id }: FileName): string {
  return `${filesOf(organizationId)}${purpose}/${id}`
}

/** The prefix of the keys of all files of an organization. */
export function filesOf(organizationId: string): string {
  return `${organizationId}/`
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const keyForm = new RegExp(`^(${uuid})/([a-z_]+)/(${uuid})$`, 'u')

/** Parses a key; null if this product did not make it. */
export function readFileKey(key: string): FileName | null {
  const [, organizationId, given, id] = keyForm.exec(key) ?? []
  const purpose = filePurposes.find(known => known === given)
  return organizationId === undefined || id === undefined || purpose === undefined
    ? null
    : { organizationId, purpose, id }
}

/** Throws unless this product made the key: a store never accesses anything outside its folder. */
export function assertKey(key: string): void {
  if (readFileKey(key) === null) throw new Error(`${JSON.stringify(key)} is no key of a file`)
}
