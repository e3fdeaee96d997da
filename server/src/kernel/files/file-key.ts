/** What a file is for. It stands in the key, so that an operator can tell files apart. */
export const filePurposes = ['attachment', 'export', 'import', 'import_errors', 'import_rows', 'knowledge'] as const

export type FilePurpose = (typeof filePurposes)[number]

/** What a file is known by. */
export interface FileName {
  readonly organizationId: string
  readonly purpose: FilePurpose
  /** A UUID that is new for every file. */
  readonly id: string
}

/**
 * The key of a file in its store. It starts with the organization, so that all files of an organization can be listed
 * and removed by it, and it holds nothing that came from a client.
 */
export function fileKey({ organizationId, purpose, id }: FileName): string {
  return `${filesOf(organizationId)}${purpose}/${id}`
}

/** The beginning of the keys of all files of an organization. */
export function filesOf(organizationId: string): string {
  return `${organizationId}/`
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const keyForm = new RegExp(`^(${uuid})/([a-z_]+)/(${uuid})$`, 'u')

/** What a key names; null if this is no key of ours. */
export function readFileKey(key: string): FileName | null {
  const [, organizationId, given, id] = keyForm.exec(key) ?? []
  const purpose = filePurposes.find(known => known === given)
  return organizationId === undefined || id === undefined || purpose === undefined
    ? null
    : { organizationId, purpose, id }
}

/** Throws unless this is a key of ours: a store never looks outside of its folder. */
export function assertKey(key: string): void {
  if (readFileKey(key) === null) throw new Error(`${JSON.stringify(key)} is no key of a file`)
}
