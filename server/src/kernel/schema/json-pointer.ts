/** One segment of a JSON pointer (RFC 6901). */
export function pointer(segment: string | number): string {
  return String(segment).replaceAll('~', '~0').replaceAll('/', '~1')
}
