/** A host of at least two labels with letters at the end, and what may follow it. */
const withoutScheme = /^(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]*(?::\d{1,5})?(?:[/?#]\S*)?$/u

/** A web address, with `https://` if it has no scheme; any other text unchanged. */
export function withScheme(text: string): string {
  const plain = text.replace(/^\/\//u, '')
  return withoutScheme.test(plain) ? `https://${plain}` : text
}
