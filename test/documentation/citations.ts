/** What a text cites of the contract, by number. */
export interface Citations {
  readonly sections: readonly string[]
  readonly gates: readonly string[]
  /** Words that a citation quotes beside the number of their section. */
  readonly words: readonly (readonly [number: string, word: string])[]
}

const number = String.raw`\d+(?:\.\d+)?`
const numbers = `${number}(?:(?:,? and|,| to) ${number})*`

/** The citations in a text: of sections behind `name`, and of gates. One number, or several, or a range of them. */
export function citationsIn(text: string, name: string): Citations {
  const line = inOneLine(text)
  const listed = (pattern: string) =>
    [...line.matchAll(new RegExp(pattern, 'giu'))].flatMap(([, list = '']) => numbersIn(list))
  const quoted = line.matchAll(new RegExp(`\\b${name}section (${number}), "([^"]+)"`, 'giu'))
  return {
    sections: listed(`\\b${name}sections? (${numbers})`),
    gates: listed(`\\bgates? (${numbers})`),
    words: [...quoted].map(([, section = '', word = '']) => [section, word] as const),
  }
}

/** What looks like a citation of the contract from outside, but is not in the form that is looked for. */
export function oddCitationsIn(text: string): string[] {
  return [...inOneLine(text).matchAll(/(?<!\bcontract )\bsections? \d\S*|\bcontract \d\S*/giu)].map(([found]) => found)
}

/** A citation may begin on one line of a comment and end on the next. */
function inOneLine(text: string): string {
  return text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/gu, ' ')
}

function numbersIn(list: string): string[] {
  return list.split(/,? and |, /u).flatMap(part => {
    const [first = '', last = first] = part.split(' to ')
    const section = first.slice(0, first.lastIndexOf('.') + 1)
    const [from, to] = [Number(first.slice(section.length)), Number(last.slice(section.length))]
    return Array.from({ length: to - from + 1 }, (_, index) => `${section}${from + index}`)
  })
}
