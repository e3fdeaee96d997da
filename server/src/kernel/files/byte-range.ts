import type { ByteRange } from './file-store.ts'

const oneRange = /^bytes=(\d*)-(\d*)$/iu

/**
 * The part of a file of `size` bytes that a `Range` header asks for. null: all of it, as for a header that is not
 * understood and for several parts at once, which HTTP (RFC 9110) allows. `none`: a part that the file does not
 * have.
 */
export function readRange(header: string, size: number): ByteRange | 'none' | null {
  const [, first = '', last = ''] = oneRange.exec(header) ?? []
  if (first === '') {
    // The last so many bytes: all of a file that is shorter.
    if (last === '') return null
    const start = Math.max(0, size - Number(last))
    return start >= size ? 'none' : { start, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'none' : { start, end }
}
