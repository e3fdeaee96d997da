import { PackageParts, parseXml, type XmlReader } from '../../../kernel/documents/index.ts'
import { type Block, tidied } from './block.ts'

const main = 'word/document.xml'
const styles = 'word/styles.xml'

/** The paragraphs and rows of tables of a document. What was deleted in it, and what repeats a drawing, is left out. */
export async function* docxBlocks(path: string): AsyncGenerator<Block> {
  const parts = await PackageParts.open(path)
  try {
    const levels = await headingLevels(parts)
    const reader = new DocumentReader(levels)
    for await (const _ of parseXml(parts.read(main), reader)) yield* reader.take()
  } finally {
    parts.close()
  }
}

/** The level of each style of a heading, by the id of the style: its name is the same in every language. */
async function headingLevels(parts: PackageParts): Promise<ReadonlyMap<string, number>> {
  const levels = new Map<string, number>()
  if (!parts.has(styles)) return levels
  let id = ''
  const reader: XmlReader = {
    open(name, attributes) {
      if (name === 'style') id = attributeOf(attributes, 'styleId')
      const level = name === 'name' ? /^heading ([1-6])$/iu.exec(attributeOf(attributes, 'val'))?.[1] : undefined
      if (level !== undefined) levels.set(id, Number(level))
    },
  }
  for await (const _ of parseXml(parts.read(styles), reader));
  return levels
}

class DocumentReader implements XmlReader {
  readonly #levels: ReadonlyMap<string, number>
  #blocks: Block[] = []
  #text = ''
  #level: number | undefined
  #rows = 0
  #passedOver = 0
  #isText = false

  constructor(levels: ReadonlyMap<string, number>) {
    this.#levels = levels
  }

  take(): Block[] {
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    // A drawing stands there a second time, for old programs.
    if (name === 'Fallback') this.#passedOver += 1
    this.#isText = name === 't' && this.#passedOver === 0
    if (name === 'tab' || name === 'br' || name === 'cr') this.#text += ' '
    if (name === 'tr') this.#rows += 1
    if (name === 'tc' && this.#text.trim() !== '') this.#text += ' | '
    if (name === 'pStyle') this.#level = this.#levels.get(attributeOf(attributes, 'val'))
    if (name === 'outlineLvl') this.#level ??= Number(attributeOf(attributes, 'val')) + 1
  }

  close(name: string): void {
    this.#isText = false
    if (name === 'Fallback') this.#passedOver -= 1
    if (name === 'tr') this.#rows -= 1
    // Paragraphs of a cell belong to their row.
    if (name === 'p' && this.#rows > 0) this.#text += ' '
    else if (name === 'p' || name === 'tr') this.#flush()
  }

  text(text: string): void {
    if (this.#isText) this.#text += text
  }

  #flush(): void {
    const text = tidied(this.#text)
    const level = this.#level
    this.#text = ''
    this.#level = undefined
    if (text === '') return
    this.#blocks.push(level === undefined || !(level >= 1 && level <= 6) ? { text } : { text, level })
  }
}

/** An attribute by its name without the prefix. */
function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string {
  const found = Object.entries(attributes).find(([key]) => key === name || key.endsWith(`:${name}`))
  return found?.[1] ?? ''
}
