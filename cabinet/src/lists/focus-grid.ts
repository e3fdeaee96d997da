/** How many frames the focus may be nowhere: a dialog that has closed needs one or two to give it back. */
const patience = 3

/** Gives the grid the focus that went with a dialog and the buttons behind it, as often as it is lost until this time. */
export function focusGrid(until = performance.now() + 500, lost = 0): void {
  const frames = document.activeElement === document.body ? lost + 1 : 0
  if (frames > patience) document.querySelector<HTMLElement>('[role="grid"]')?.focus()
  if (performance.now() < until) requestAnimationFrame(() => focusGrid(until, frames))
}
