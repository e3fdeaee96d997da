import { Parser } from 'htmlparser2'
import { type Block, tidied } from './block.ts'
import { Unindexable } from './unindexable.ts'

/** Elements whose text nobody reads. */
const unread = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'head', 'select'])

/** Elements that stand on lines of their own. */
const separate = new Set(
  (
    'address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody tfoot ' +
    'thead title tr ul'
  ).split(' '),
)

/** Deeper than any page; the time that closing an element takes grows with the number of those that are open. */
const mostDepth = 2000

/** Reads the text of a page, and follows no link. */
export class HtmlReader {
  readonly #parser: Parser
  #blocks: Block[] = []
  #text = ''
  #level: number | undefined
  #unread = 0
  #depth = 0

  constructor() {
    this.#parser = new Parser({
      onopentag: name => this.#open(name),
      onclosetag: name => this.#close(name),
      ontext: text => {
        if (this.#unread === 0) this.#text += text
      },
    })
  }

  /** Reads on; gives the blocks that are complete. */
  write(text: string): Block[] {
    this.#parser.write(text)
    return this.#take()
  }

  end(): Block[] {
    this.#parser.end()
    this.#flush()
    return this.#take()
  }

  #take(): Block[] {
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  #open(name: string): void {
    this.#depth += 1
    if (this.#depth > mostDepth) throw new Unindexable('too_deep')
    if (unread.has(name)) this.#unread += 1
    if ((name === 'td' || name === 'th') && this.#text.trim() !== '') this.#text += ' | '
    if (!separate.has(name)) return
    this.#flush()
    const level = /^h([1-6])$/u.exec(name)?.[1]
    this.#level = level === undefined ? undefined : Number(level)
  }

  #close(name: string): void {
    this.#depth -= 1
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (separate.has(name)) this.#flush()
  }

  #flush(): void {
    const text = tidied(this.#text)
    this.#text = ''
    if (text !== '') this.#blocks.push(this.#level === undefined ? { text } : { text, level: this.#level })
    this.#level = undefined
  }
}
