import { crc32, deflateRawSync } from 'node:zlib'

/** A part of a workbook; `declared` is a size that is not true. */
export interface WorkbookPart {
  readonly name: string
  readonly content: string | Buffer
  readonly declared?: number
}

/** The bytes of an archive with these parts. */
export function archive(parts: readonly WorkbookPart[]): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const { name, content, declared } of parts) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(crc32(bytes), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(declared ?? bytes.length, 18)
    head.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    entries.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), head, tail, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.length, 4)
  end.writeUInt16LE(parts.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end])
}

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'

const relations = (...kinds: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships ${packaged}>${kinds
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

export interface Workbook {
  /** The rows of the first sheet: XML of each. */
  readonly rows: readonly string[]
  readonly texts?: readonly string[]
  /** Number formats of the cell styles from 1 on. */
  readonly formats?: readonly string[]
  readonly more?: readonly WorkbookPart[]
  readonly relations?: readonly (readonly [id: string, type: string, target: string])[]
  readonly head?: string
  /** The names of further sheets, with the relations rId9, rId10 and so on. */
  readonly sheets?: readonly string[]
}

/** The parts of a workbook with one sheet. */
export function workbookParts({
  rows,
  texts = [],
  formats = [],
  more = [],
  head = '',
  sheets = [],
  ...given
}: Workbook): WorkbookPart[] {
  const kinds = [
    ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
    ['rId2', 'sharedStrings', 'sharedStrings.xml'],
    ['rId3', 'styles', 'styles.xml'],
    ...(given.relations ?? []),
  ] as const
  const codes = formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`).join('')
  const styles = formats.map((_, index) => `<xf numFmtId="${200 + index}"/>`).join('')
  const further = sheets
    .map((name, index) => `<sheet name="${name}" sheetId="${index + 2}" r:id="rId${index + 9}"/>`)
    .join('')
  return [
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: '_rels/.rels', content: relations(['rId1', 'officeDocument', 'xl/workbook.xml']) },
    {
      name: 'xl/workbook.xml',
      content: `<workbook ${main} xmlns:r="${office}">${head}<sheets><sheet name="People" sheetId="1" r:id="rId1"/>${further}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relations(...kinds) },
    {
      name: 'xl/sharedStrings.xml',
      content: `<sst ${main}>${texts.map(text => `<si><t xml:space="preserve">${text}</t></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet ${main}><numFmts>${codes}</numFmts><cellXfs><xf numFmtId="0"/>${styles}</cellXfs></styleSheet>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet ${main}><sheetData>${rows.join('')}</sheetData></worksheet>`,
    },
    ...more,
  ]
}

export function aWorkbook(workbook: Workbook): Buffer {
  return archive(workbookParts(workbook))
}

/** A row of cells with texts of their own. */
export function textRow(line: number, ...texts: readonly string[]): string {
  const cells = texts.map(
    (text, index) => `<c r="${columnName(index)}${line}" t="inlineStr"><is><t>${text}</t></is></c>`,
  )
  return `<row r="${line}">${cells.join('')}</row>`
}

function columnName(index: number): string {
  return String.fromCharCode(65 + index)
}
