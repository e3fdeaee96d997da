import fresh from 'fresh'
import { replyEmpty, replyRefusal, replyStreamed } from '../../answers/envelope.ts'
import { explainFailure } from '../../answers/failures.ts'
import { tokenPermits } from '../../auth/index.ts'
import { crmConventions } from '../../conventions.ts'
import { notFound, Refusal } from '../../errors/index.ts'
import { type ByteRange, FileMissing, fileKey, type LinkedFile, selectFile, toRecordedFile } from '../../files/index.ts'
import type { Call, Reply, StreamedReply } from '../../input/call.ts'
import type { Services } from '../../services.ts'
import type { Reader } from '../../sql/index.ts'
import { type Downloaded, download, noteDownload } from './note-download.ts'

/**
 * Answers a signed link with its file, or a part of it. The link itself is the permission, for as long as the token or the
 * user to whom it was shown has the scope (contract section 2). A link that is forged, modified or expired, or whose holder has lost the
 * scope, gets the same 404 as one whose file is gone. No byte of an export is sent before the audit entry of the download is written (contract section 11).
 */
export async function handleDownload(call: Call, services: Services): Promise<Reply | StreamedReply> {
  try {
    const linked = services.files.links.read(call.path.token ?? '', services.clock.now())
    if (linked === null) return replyRefusal(crmConventions, call, notFound())
    call.authenticated()
    const admitted = services.admission.enter(linked.organizationId, call.whenGone)
    if (admitted instanceof Refusal) return replyRefusal(crmConventions, call, admitted)
    call.whenClosed(() => admitted.end())
    const applicationId = await permittedApplication(linked, admitted, services)
    if (applicationId === null) return replyRefusal(crmConventions, call, notFound())
    call.authenticated(applicationId)
    const [row] = await services.database.query(selectFile, [linked.organizationId, linked.id], admitted)
    if (row === undefined) return replyRefusal(crmConventions, call, notFound())
    const file = toRecordedFile(linked.organizationId, row)
    return await answer({ linked, applicationId, file, call, reader: admitted }, services)
  } catch (error) {
    return replyRefusal(crmConventions, call, explainFailure(error, download, call, services))
  }
}

/** The application for which the link's holder acts; null if the holder no longer has the scopes of the link. */
async function permittedApplication(
  { holder, scopes }: LinkedFile,
  reader: Reader,
  { authentication, members, clock }: Services,
): Promise<string | null> {
  if ('operatorId' in holder) {
    const rights = await members.find(holder.operatorId, reader)
    return rights !== null && scopes.every(scope => rights.permissions.has(scope)) ? rights.applicationId : null
  }
  const chain = await authentication.chains.find(holder.tokenId, reader)
  return chain !== null && tokenPermits(chain, holder.tokenId, scopes, clock.now()) ? chain.applicationId : null
}

async function answer(asked: Downloaded, services: Services): Promise<Reply | StreamedReply> {
  const { call, file } = asked
  const { files } = services
  const { size, sha256, name, mediaType } = file
  const etag = `"${sha256}"`
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    // If a browser displays the file nevertheless, nothing in it may run.
    'Content-Security-Policy': "default-src 'none'; sandbox",
  }
  if (fresh({ 'if-none-match': call.header('if-none-match') }, { etag })) return replyEmpty(call, 304, headers)
  const range = rangeOf(call, etag, size)
  if (range === 'none') return replyEmpty(call, 416, { ...headers, 'Content-Range': `bytes */${size}` })
  // Once the headers are sent, there is no way to report that the bytes are missing.
  if ((await files.store.stat(fileKey(file))) === null) throw new FileMissing(fileKey(file))
  if (call.method !== 'HEAD') await noteDownload(asked, services)
  const stream = {
    mediaType,
    fileName: name,
    length: lengthOf(range, size),
    chunks: files.read(file, range ?? undefined),
  }
  if (range === null) return replyStreamed(call, { status: 200, stream }, headers)
  const part = { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` }
  return replyStreamed(call, { status: 206, stream }, { ...headers, ...part })
}

/** The requested part; null for the whole file; `none` for a part that the file does not have. */
function rangeOf(call: Call, etag: string, size: number): ByteRange | 'none' | null {
  const sent = call.header('range')
  const ifRange = call.header('if-range') ?? etag
  if (sent === undefined || call.method === 'HEAD' || ifRange !== etag) return null
  return readRange(sent, size)
}

function lengthOf(range: ByteRange | null, size: number): number {
  return range === null ? size : range.end - range.start + 1
}

const oneRange = /^bytes=(\d*)-(\d*)$/iu

/**
 * Parses a `Range` header for a file of `size` bytes. null for the whole file: also for a malformed header and for several ranges, as HTTP
 * (RFC 9110) allows. `none` for a part that the file does not have.
 */
function readRange(header: string, size: number): ByteRange | 'none' | null {
  const [, first = '', last = ''] = oneRange.exec(header) ?? []
  if (first === '') {
    // A suffix range: the last bytes, or all of a shorter file.
    if (last === '') return null
    const start = Math.max(0, size - Number(last))
    return start >= size ? 'none' : { start, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'none' : { start, end }
}
