/** A text that another system has sent, so that it cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '\u{fffd}')
}
