import { Actor } from '../../auth/actor.ts'
import { type Author, byApplication } from '../../auth/author.ts'
import { addressClass } from '../../auth/index.ts'
import type { FilePurpose, LinkedFile, RecordedFile } from '../../files/index.ts'
import type { Call } from '../../input/call.ts'
import { bounds, Throttle } from '../../limits/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import type { Services } from '../../services.ts'
import type { Reader } from '../../sql/index.ts'
import { actionRow } from '../../write/facts.ts'
import { mutate } from '../../write.ts'

/** The name of downloads in metrics, the log and audit entries. */
export const download = { id: 'files.download' }

/** The purposes of files whose downloads get audit entries. */
const notedPurposes: readonly FilePurpose[] = ['export']

/** The file of a link, and the client that requests it. */
export interface Downloaded {
  readonly linked: LinkedFile
  /** The application of the token or user to whom the link was shown. */
  readonly applicationId: string
  readonly file: RecordedFile
  readonly call: Call
  readonly reader: Reader
}

/**
 * Writes the audit entry of a download if the file is an export: `export.downloaded`, with whom the link was shown and the
 * class of the client's address. Successive range requests are one download: the same link gets one entry per hour and address class.
 * Throws if the entry cannot be written, and then no bytes may be sent.
 */
export async function noteDownload(
  { linked, applicationId, file, call, reader }: Downloaded,
  services: Services,
): Promise<void> {
  const { purpose } = file
  if (!notedPurposes.includes(purpose)) return
  const { organizationId, resourceId, holder } = linked
  const from = addressClass(call.address)
  const isOfUser = 'operatorId' in holder
  const author: Author = isOfUser ? { ...byApplication, type: 'user', uuid: holder.operatorId } : byApplication
  const entry = isOfUser ? ('cabinet' as const) : ('api' as const)
  const tokenId = isOfUser ? null : holder.tokenId
  const actor = {
    ...Actor.of({ organizationId, author, applicationId }),
    requestId: call.requestId,
    clientRequestId: call.clientRequestId,
    origin: { operation: download.id, entry, tokenId, addressClass: from },
    reader,
  }
  const what = { resourceType: purpose, resourceId, action: `${purpose}.downloaded`, version: null }
  await noted.do(`${call.path.token} ${from}`, services.clock.now(), async () => {
    const mutation: Mutation<null, never> = {
      looksOnly: true,
      needs() {},
      decide: (_, write) => ({ result: null, rows: [actionRow(what, write)] }),
    }
    await mutate(mutation, actor, services)
  })
}

const noted = new Throttle(bounds.notedDownload.most, bounds.notedDownloads.most)
