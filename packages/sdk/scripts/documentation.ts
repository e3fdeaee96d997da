import type { Method } from './api.ts'

const width = 116

/** What the document says of a method: summary, and description with scopes and refusals. */
export function documented({ summary, description }: Method): string[] {
  return [`${summary}.`, '', ...description.split('\n')]
}

/** The comment above a method, with the parameters of the path. */
export function documentation(method: Method): string {
  const { isDeprecated, pathParameters, row } = method
  const form = row.body === 'form' ? ['', ...wrap('The body is a `FormData` with the files.')] : []
  const lines = [
    ...documented(method).flatMap(wrap),
    ...form,
    '',
    ...pathParameters.flatMap(({ name, description: told }) => wrap(`@param ${name} ${told}`)),
    ...(isDeprecated ? ['@deprecated'] : []),
  ]
  const text = lines
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim()
  // A slash after a star would end the comment.
  const marked = text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .map(line => `   * ${line}`.trimEnd())
  return `  /**\n${marked.join('\n')}\n   */`
}

/** Breaks a line between words. A point of a list keeps its indentation. */
export function wrap(line: string): string[] {
  const indentation = line.startsWith('- ') ? '  ' : ''
  return line.split(' ').reduce<string[]>((lines, word) => {
    const last = lines.at(-1)
    if (last === undefined) return [word]
    return last.length + 1 + word.length <= width
      ? [...lines.slice(0, -1), `${last} ${word}`]
      : [...lines, `${indentation}${word}`]
  }, [])
}
