import { forgetFile } from '../../files/index.ts'
import type { Swept } from '../../mutation/index.ts'

/** The files of removed attachments: the save removes their rows, and their bytes go after the commit. */
export function forgetAttached(
  organizationId: string,
  attachments: readonly Readonly<Record<string, unknown>>[],
): Required<Swept> {
  const files = attachments.map(({ id, sizeBytes }) => ({ id: String(id), size: Number(sizeBytes) }))
  return {
    rows: files.map(forgetFile),
    drops: files.map(({ id }) => ({ organizationId, purpose: 'attachment', id })),
  }
}
