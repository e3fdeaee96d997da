import { fileTypeFromFile } from 'file-type'
import { firstBytesOf } from '../documents/source-kind.ts'

const lookedAtBytes = 64 * 1024

/**
 * Detects the media type of a file on disk: by its first bytes, else `text/plain` for UTF-8 text, else the type of arbitrary bytes. HTML
 * and SVG are reported as text: the result is never a type that a browser would execute.
 */
export async function sniffMediaType(path: string): Promise<string> {
  const known = (await fileTypeFromFile(path))?.mime
  if (known !== undefined) return known
  return (await beginsAsText(path)) ? 'text/plain' : 'application/octet-stream'
}

async function beginsAsText(path: string): Promise<boolean> {
  const head = await firstBytesOf(path, lookedAtBytes)
  try {
    // The last character may be cut off, which `stream` allows.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return text !== '' && !/[^\P{Cc}\t\n\f\r]/u.test(text)
  } catch {
    return false
  }
}
