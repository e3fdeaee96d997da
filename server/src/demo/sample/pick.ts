/** The element at a position, modulo the number of elements. Sample data is picked by position, without randomness. */
export function pick<Element>(elements: readonly Element[], position: number): Element {
  const element = elements[position % elements.length]
  if (element === undefined) throw new Error('the list to pick from is empty')
  return element
}
