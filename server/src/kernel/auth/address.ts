import { BlockList, isIP } from 'node:net'
import { bounds } from '../limits/bounds.ts'

const mappedForm = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/u

/** An address with a port, as some proxies write it. The port does not identify the client. */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([^\]:]*:[^\]]*)\](?::\d{1,5})?)$/u

/** A socket has no address once its client has disconnected. */
type Address = string | undefined

/**
 * Normalises addresses for comparison: IPv6 in its shortest form, IPv4-mapped IPv6 as IPv4, without zone and port. Any other text becomes
 * `unknown`, so that invented texts from a proxy count as one client and not as many.
 */
export function normaliseAddress(address: Address): string {
  if (address === undefined) return 'unknown'
  const [, four, six] = withPort.exec(address) ?? []
  const plain = (four ?? six ?? address).split('%')[0] ?? ''
  if (isIP(plain) !== 6) return isIP(plain) === 4 ? plain : 'unknown'
  const shortest = new URL(`http://[${plain}]/`).hostname.slice(1, -1)
  const [, high, low] = mappedForm.exec(shortest) ?? []
  if (high === undefined || low === undefined) return shortest
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.')
}

/** The key under which failed attempts of an address are counted: the IPv4 address, or the /64 network of an IPv6 address. */
export function addressBucket(address: Address): string {
  const plain = normaliseAddress(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0')
  const groups = [...start, ...middle, ...end].slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}

/** Whether a text is a network in CIDR notation, or a single address. */
export function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/u.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** A list of networks, and whether an address is in one of them. */
export class AddressList {
  readonly #list = new BlockList()
  readonly isEmpty: boolean

  constructor(cidrs: readonly string[]) {
    this.isEmpty = cidrs.length === 0
    for (const cidr of cidrs) {
      const [address = '', prefix] = cidr.split('/')
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      if (prefix === undefined) this.#list.addAddress(address, family)
      else this.#list.addSubnet(address, Number(prefix), family)
    }
  }

  has(address: Address): boolean {
    const plain = normaliseAddress(address)
    const family = isIP(plain)
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** The kind of network a client is in. Unlike an address, which can be personal data, it may be kept for long. */
export type AddressClass = 'loopback' | 'private' | 'public' | 'unknown'

const loopback = new AddressList(['127.0.0.0/8', '::1'])
const privateNetworks = new AddressList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
])

/** Cached, because the same clients return and comparing an address with all networks takes longer than authenticating its token. */
const classes = new Map<Address, AddressClass>()

/** The class of an address; carrier-grade and link-local addresses count as private. */
export function addressClass(address: Address): AddressClass {
  const known = classes.get(address)
  if (known !== undefined) return known
  if (classes.size >= bounds.classifiedAddresses.most) classes.clear()
  const found = classify(address)
  classes.set(address, found)
  return found
}

function classify(address: Address): AddressClass {
  if (normaliseAddress(address) === 'unknown') return 'unknown'
  if (loopback.has(address)) return 'loopback'
  return privateNetworks.has(address) ? 'private' : 'public'
}
