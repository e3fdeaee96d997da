import { wrap } from './documentation.ts'

/** The name of a method or a parameter in Python: `batchUpsert` is `batch_upsert`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, letter => `_${letter.toLowerCase()}`)
}

/** A docstring of these lines; long ones are broken between words. */
export function docstring(lines: readonly string[], indentation: string): string {
  const text = lines
    .flatMap(line => line.split('\n'))
    .flatMap(wrap)
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim()
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', '\\"\\"\\"')
  const broken = text.split('\n')
  // A quote at the end would run into those that close it.
  const end = broken.length > 1 ? [`"""`] : []
  const all = end.length > 0 ? [`"""${broken[0]}`, ...broken.slice(1), ...end] : [`"""${text.replace(/"$/u, '\\"')}"""`]
  return all.map(line => (line === '' ? '' : indentation + line)).join('\n')
}
