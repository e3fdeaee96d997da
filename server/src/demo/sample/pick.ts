/** The element at a position, counted round and round, so that sample data needs no chance. */
export function pick<Element>(elements: readonly Element[], position: number): Element {
  const element = elements[position % elements.length]
  if (element === undefined) throw new Error('nothing to pick from')
  return element
}
