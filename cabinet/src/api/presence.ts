/** For how many milliseconds a person counts as present after a key, a press or a turn of the wheel. */
const presenceMilliseconds = 60_000
const signs = ['keydown', 'pointerdown', 'click', 'wheel', 'touchmove']

/** When somebody last did something. A person who loads the pages is there. */
let lastSign = Date.now()

/** Notes from now on when a person does something on the pages. */
export function watchPresence(pages: EventTarget): void {
  const note = () => {
    lastSign = Date.now()
  }
  for (const sign of signs) pages.addEventListener(sign, note, { capture: true, passive: true })
}

/** Whether somebody is at the pages. Reads that they send while nobody is there keep no session alive. */
export function isSomebodyThere(): boolean {
  return Date.now() - lastSign < presenceMilliseconds
}
