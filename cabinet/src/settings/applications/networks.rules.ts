/** Whether one of the networks contains the address. Null where none is given: then every address is accepted. */
export function containsAddress(networks: readonly string[], address: string): boolean | null {
  const given = networks.map(network => network.trim()).filter(network => network !== '')
  if (given.length === 0) return null
  const bits = bitsOf(address)
  return bits !== null && given.some(network => isWithin(bits, network))
}

function isWithin(bits: string, network: string): boolean {
  const [start = '', length] = network.split('/')
  const fixed = bitsOf(start)
  if (fixed === null || fixed.length !== bits.length) return false
  const count = length === undefined ? fixed.length : /^\d{1,3}$/u.test(length) ? Number(length) : Number.NaN
  return count <= fixed.length && bits.startsWith(fixed.slice(0, count))
}

/** The bits of an address of version 4 or 6; null for what is none. */
function bitsOf(address: string): string | null {
  const text = address.replace(/^::ffff:(?=\d+\.)/iu, '')
  if (!text.includes(':')) {
    const bytes = text.split('.')
    const areBytes = bytes.length === 4 && bytes.every(byte => /^\d{1,3}$/u.test(byte) && Number(byte) < 256)
    return areBytes ? bytes.map(byte => Number(byte).toString(2).padStart(8, '0')).join('') : null
  }
  const [before = '', after, ...more] = text.split('::')
  const wordsIn = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'))
  const [head, tail] = [wordsIn(before), wordsIn(after)]
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length
  const words = [...head, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...tail]
  if (more.length > 0 || words.length !== 8 || !words.every(word => /^[\da-f]{1,4}$/iu.test(word))) return null
  return words.map(word => Number.parseInt(word, 16).toString(2).padStart(16, '0')).join('')
}
