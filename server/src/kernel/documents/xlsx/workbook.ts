import { bounds } from '../../limits/bounds.ts'
import { PackageParts } from '../open-xml/package-parts.ts'
import { parseXml, type XmlReader } from '../open-xml/parse-xml.ts'
import { UnreadableFile } from '../unreadable-file.ts'

interface Sheet {
  readonly name: string
  readonly part: string
}

/** A workbook whose list of sheets was read. */
export interface Workbook {
  readonly parts: PackageParts
  readonly sheets: readonly Sheet[]
  /** The parts with the styles and the shared texts, if there are any. */
  readonly styles: string | null
  readonly sharedTexts: string | null
  /** Whether days are counted from 1904, as on old Macs. */
  readonly countsFrom1904: boolean
}

/** Opens a workbook; the caller closes its parts. Throws `UnreadableFile` for a file that is not a workbook or has macros. */
export async function openWorkbook(path: string): Promise<Workbook> {
  const parts = await PackageParts.open(path)
  try {
    return await readWorkbook(parts)
  } catch (error) {
    parts.close()
    throw error
  }
}

async function readWorkbook(parts: PackageParts): Promise<Workbook> {
  if (!parts.has('[Content_Types].xml'))
    throw new UnreadableFile('not_a_table', 'The file is an archive, but not a workbook: send CSV or XLSX')
  const main = (await relationsOf(parts, '')).find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const relations = await relationsOf(parts, main)
  if (relations.some(({ type }) => type === 'vbaProject'))
    throw new UnreadableFile('macros', 'The workbook has macros: save it as XLSX without them')
  const listed: { name: string; id: string; isHidden: boolean }[] = []
  let countsFrom1904 = false
  await readWorkbookHead(parts, main, {
    open(name, attributes) {
      if (name === 'workbookPr') countsFrom1904 = isTrue(attributes.date1904)
      if (name !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id'))?.[1] ?? ''
      listed.push({ name: attributes.name ?? '', id, isHidden: (attributes.state ?? 'visible') !== 'visible' })
    },
  })
  const partOf = (type: string) => relations.find(relation => relation.type === type)?.target ?? null
  const worksheets = new Map(
    relations.flatMap(({ id, type, target }) => (type === 'worksheet' ? [[id, target] as const] : [])),
  )
  const sheets = listed.flatMap(({ name, id, isHidden }) => {
    const part = worksheets.get(id)
    return part === undefined || isHidden ? [] : [{ name, part }]
  })
  if (sheets.length === 0) throw new UnreadableFile('not_a_table', 'The workbook has no sheet that can be seen')
  return { parts, sheets, styles: partOf('styles'), sharedTexts: partOf('sharedStrings'), countsFrom1904 }
}

interface Relation {
  readonly id: string
  /** The last segment of its type. */
  readonly type: string
  readonly target: string
}

/** The relations of a part; the part '' is the archive itself. Targets outside the archive are left out. */
async function relationsOf(parts: PackageParts, part: string): Promise<Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1)
  const name = `${folder}_rels/${part.slice(folder.length)}.rels`
  const relations: Relation[] = []
  if (!parts.has(name)) return relations
  await readWorkbookHead(parts, name, {
    open(element, { Id = '', Type = '', Target = '', TargetMode }) {
      if (element !== 'Relationship' || TargetMode === 'External') return
      relations.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target: pathOf(folder, Target) })
    },
  })
  return relations
}

function pathOf(folder: string, target: string): string {
  try {
    return decodeURI(new URL(target, `file:///${folder}`).pathname).slice(1)
  } catch {
    throw new UnreadableFile('damaged', 'The workbook is damaged: a part of it leads nowhere')
  }
}

/** Reads one of the small parts to its end. */
export async function readWorkbookHead(parts: PackageParts, name: string, reader: XmlReader): Promise<void> {
  for await (const _ of parseXml(parts.read(name, bounds.workbookHead.most), reader));
}

function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true'
}
