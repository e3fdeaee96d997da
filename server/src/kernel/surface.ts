import { cursorParameter, limitParameter, pageParameter, type QueryDeclaration } from './input/index.ts'
import { limits } from './limits/index.ts'

/**
 * A part of the API with conventions of its own. Each operation belongs to one surface, and declares none of this
 * itself.
 */
export interface Surface {
  /** The prefix of all its paths. */
  readonly prefix: string
  readonly envelope: Envelope
  /** The text of a success around the JSON of its data; `after` makes the end from the meta. */
  readonly success: { readonly before: string; after(meta: Readonly<Record<string, unknown>>): string }
  /** Whether organizations whose CRM is another product are refused (gate 4). */
  readonly needsBuiltInCrm: boolean
  /**
   * Whether clients keep its records in step with their own: then a record has a version for compare-and-set, a key of each
   * application, and change events. Elsewhere the last write wins, and only the audit log tells of changes.
   */
  readonly synchronizes: boolean
  /** Whether an id that can name nothing makes the request wrong (400); elsewhere it is an unknown one (404). */
  readonly refusesMalformedIds: boolean
  /** The query parameters for pages of a list. */
  readonly pages: QueryDeclaration
}

/** What an answer has beside its `data` or its `error`. */
interface Envelope {
  readonly success: Readonly<Record<string, string>>
  readonly failure: Readonly<Record<string, string>>
  readonly hasMeta: boolean
  /** The component of a failure in the OpenAPI document. */
  readonly failureName: string
}

function successOf({ success, hasMeta }: Envelope): Surface['success'] {
  const head = JSON.stringify({ ...success, data: null })
  return { before: head.slice(0, -'null}'.length), after: meta => (hasMeta ? `,"meta":${JSON.stringify(meta)}}` : '}') }
}

const plain: Envelope = { success: {}, failure: {}, hasMeta: true, failureName: 'ErrorAnswer' }

/** The form of a success on `crm`, in which answers are stored too. */
export const dataAndMeta: Surface['success'] = successOf(plain)

/** The routes of contacts, companies, deals and tasks, and those across them. */
export const crm: Surface = {
  prefix: '/api/v1/crm',
  envelope: plain,
  success: dataAndMeta,
  needsBuiltInCrm: true,
  synchronizes: true,
  refusesMalformedIds: false,
  pages: { cursor: cursorParameter(), limit: limitParameter() },
}

const told: Envelope = {
  success: { status: 'OK' },
  failure: { status: 'ERROR' },
  hasMeta: false,
  failureName: 'StatusErrorAnswer',
}

/** What channels and AI agents have in common (contract section 13): no versions and no keys, and pages have numbers. */
const external: Omit<Surface, 'prefix'> = {
  envelope: told,
  success: successOf(told),
  needsBuiltInCrm: false,
  synchronizes: false,
  refusesMalformedIds: true,
  pages: { page: pageParameter(), limit: limitParameter(limits.productsMax, limits.productsDefault) },
}

export const channelsSurface: Surface = { ...external, prefix: '/api/v1/external' }

export const aiAgents: Surface = { ...external, prefix: '/api/v1/ai-agents/external' }

/** The surface that a path belongs to, even if it has no operation; `crm` for all other paths. */
export function surfaceAt(path: string): Surface {
  const [address = ''] = path.split('?')
  return [channelsSurface, aiAgents].find(({ prefix }) => address === prefix || address.startsWith(`${prefix}/`)) ?? crm
}
