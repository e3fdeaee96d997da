import { archive, aWorkbook, textRow } from '../../conformance/support/workbooks.ts'

/** A piece of a document: a heading begins with one to three `#`, a row of a table has `|` between its cells. */
export type Line = string

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const headingOf = (line: Line) => /^(#{1,3}) (.*)$/su.exec(line)

/** The bytes of a DOCX with these paragraphs. */
export function aDocument(lines: readonly Line[]): Buffer {
  const body = lines.map(line => {
    const [, marks = '', heading] = headingOf(line) ?? []
    if (heading !== undefined) return paragraph(heading, `<w:pPr><w:pStyle w:val="Kop${marks.length}"/></w:pPr>`)
    if (!line.includes(' | ')) return paragraph(line)
    const cells = line.split(' | ').map(cell => `<w:tc>${paragraph(cell)}</w:tc>`)
    return `<w:tbl><w:tr>${cells.join('')}</w:tr></w:tbl>`
  })
  return documentOf(body.join(''))
}

const words = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const paragraph = (text: string, form = '') =>
  `<w:p>${form}<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`

/** A DOCX whose main part has this XML in its body. */
export function documentOf(body: string, head = ''): Buffer {
  const styles = [1, 2, 3].map(
    level => `<w:style w:type="paragraph" w:styleId="Kop${level}"><w:name w:val="heading ${level}"/></w:style>`,
  )
  return archive([
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: 'word/styles.xml', content: `<w:styles ${words}>${styles.join('')}</w:styles>` },
    { name: 'word/document.xml', content: `${head}<w:document ${words}><w:body>${body}</w:body></w:document>` },
  ])
}

/** The bytes of an XLSX with one sheet. */
export function aSheet(rows: readonly (readonly string[])[]): Buffer {
  return aWorkbook({ rows: rows.map((cells, index) => textRow(index + 1, ...cells.map(escaped))) })
}

/** The page of HTML with these paragraphs. */
export function aPage(lines: readonly Line[]): string {
  const body = lines.map(line => {
    const [, marks = '', heading] = headingOf(line) ?? []
    if (heading !== undefined) return `<h${marks.length}>${escaped(heading)}</h${marks.length}>`
    if (!line.includes(' | ')) return `<p>${escaped(line)}</p>`
    const cells = line.split(' | ').map(cell => `<td>${escaped(cell)}</td>`)
    return `<table><tr>${cells.join('')}</tr></table>`
  })
  const head = '<head><meta charset="utf-8"><title>Page</title><style>p { margin: 0 }</style></head>'
  return `<!doctype html><html>${head}<body><nav><a href="/">Home</a></nav>${body.join('\n')}<script>run()</script></body></html>`
}

/** Codes of characters are those of Unicode, so any text can be written; without its letters, which nobody has to see. */
const toUnicode =
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Text def /CMapType 2 def ' +
  '1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap end end'

const [lineLength, top, small, large] = [90, 790, 11, 16]

/** The bytes of a PDF with these pages. */
export function aPdf(pages: readonly (readonly Line[])[]): Buffer {
  return pdfOf(pages.map(pageContent))
}

/** A PDF whose pages have these contents; `trailer` is added to the last part of the file. */
export function pdfOf(contents: readonly (string | Buffer)[], trailer = '', filter = ''): Buffer {
  const kids = contents.map((_, index) => `${7 + 2 * index} 0 R`)
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`),
    Buffer.from(
      '<< /Type /Font /Subtype /Type0 /BaseFont /Text /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>',
    ),
    Buffer.from(
      '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Text /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) ' +
        '/Supplement 0 >> /DW 500 /FontDescriptor 6 0 R >>',
    ),
    streamOf(Buffer.from(toUnicode)),
    Buffer.from(
      '<< /Type /FontDescriptor /FontName /Text /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 ' +
        '/Descent -200 /CapHeight 700 /StemV 80 >>',
    ),
    ...contents.flatMap((content, index) => [
      Buffer.from(
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> ' +
          `/Contents ${8 + 2 * index} 0 R >>`,
      ),
      streamOf(Buffer.from(content), filter),
    ]),
  ]
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const places: string[] = []
  let length = 9
  for (const [index, object] of objects.entries()) {
    places.push(`${String(length).padStart(10, '0')} 00000 n \n`)
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    parts.push(part)
    length += part.length
  }
  const count = objects.length + 1
  const end = `trailer << /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF`
  parts.push(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${places.join('')}${end}`))
  return Buffer.concat(parts)
}

function streamOf(content: Buffer, filter = ''): Buffer {
  const head = Buffer.from(`<< /Length ${content.length} ${filter} >>\nstream\n`)
  return Buffer.concat([head, content, Buffer.from('\nendstream')])
}

function pageContent(lines: readonly Line[]): string {
  let bottom = top
  const shown = lines.flatMap(line => {
    const [, , heading] = headingOf(line) ?? []
    const size = heading === undefined ? small : large
    bottom -= size
    return folded(heading ?? line).map(piece => {
      bottom -= size + 3
      const text = Buffer.from(piece, 'utf16le').swap16().toString('hex')
      return `/F1 ${size} Tf 1 0 0 1 50 ${bottom} Tm <${text}> Tj`
    })
  })
  return `BT\n${shown.join('\n')}\nET`
}

/** The lines of a paragraph. */
function folded(text: string): string[] {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length > lineLength) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
