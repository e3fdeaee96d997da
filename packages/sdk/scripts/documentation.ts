import type { Method } from './api.ts'

const width = 116

/** The comment above a method: summary, description with scopes and refusals, parameters of the path. */
export function documentation({ summary, description, isDeprecated, pathParameters, row }: Method): string {
  const form = row.body === 'form' ? ['', ...wrap('The body is a `FormData` with the files.')] : []
  const lines = [
    ...wrap(`${summary}.`),
    '',
    ...description.split('\n').flatMap(wrap),
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
