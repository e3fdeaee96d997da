import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { bounds } from '../../limits/bounds.ts'
import { UnreadableFile } from '../unreadable-file.ts'

/** The callbacks of the parser. Names have no prefix. */
export interface XmlReader {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  text?(text: string): void
}

/** More than any part of a workbook or a document needs; the names of open elements are held in memory. */
const mostDepth = 64

/**
 * Parses XML and calls a reader. Yields after each piece, so that the caller can take rows while the file is read. Refuses document types,
 * which could define entities that expand, and texts and tags that do not end.
 */
export async function* parseXml(bytes: AsyncIterable<Uint8Array>, reader: XmlReader): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let depth = 0
  let untold = 0
  parser.on('doctype', () => {
    throw damaged()
  })
  parser.on('error', () => {
    throw damaged()
  })
  parser.on('opentag', ({ name, attributes }) => {
    untold = 0
    depth += 1
    if (depth > mostDepth) throw damaged()
    reader.open(localName(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    untold = 0
    depth -= 1
    reader.close?.(localName(name))
  })
  parser.on('text', text => reader.text?.(text))
  parser.on('cdata', text => reader.text?.(text))
  for await (const chunk of bytes) {
    untold += chunk.length
    if (untold > bounds.importRow.most)
      throw new UnreadableFile('too_large', `A text of the workbook has more than ${bounds.importRow.most} bytes`)
    parser.write(decoded(decoder, chunk))
    yield
  }
  parser.close()
  yield
}

function decoded(decoder: TextDecoder, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    throw damaged()
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function damaged(): UnreadableFile {
  return new UnreadableFile('damaged', 'The file is damaged: a part of it is no XML')
}
