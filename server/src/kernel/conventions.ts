import { cursorParameter, limitParameter, pageParameter, type QueryDeclaration } from './input/index.ts'
import { limits } from './limits/index.ts'

/** What the routes of one part of the API have in common, whatever the entrypoint. */
export interface Conventions {
  readonly envelope: Envelope
  /** The text of a success before the JSON of its data, and whether the meta follows the data: see `endOfSuccess`. */
  readonly success: { readonly before: string; readonly hasMeta: boolean }
  /** Whether organizations that use another product as their CRM are refused (gate 4). */
  readonly needsBuiltInCrm: boolean
  /**
   * Whether clients synchronize its records with their own. Such a record has a version for compare-and-set, an external key for each
   * application, and change events. Elsewhere the last write wins, and only the audit log records changes.
   */
  readonly synchronizes: boolean
  /** Whether a malformed id makes the request invalid (400); elsewhere it is treated as an unknown one (404). */
  readonly refusesMalformedIds: boolean
  /** The query parameters for pages of a list. */
  readonly pages: QueryDeclaration
}

/** The members of an answer beside `data` or `error`. */
interface Envelope {
  readonly success: Readonly<Record<string, string>>
  readonly failure: Readonly<Record<string, string>>
  readonly hasMeta: boolean
  /** The component of a failure in the OpenAPI document. */
  readonly failureName: string
}

function successOf({ success, hasMeta }: Envelope): Conventions['success'] {
  const head = JSON.stringify({ ...success, data: null })
  return { before: head.slice(0, -'null}'.length), hasMeta }
}

const plain: Envelope = { success: {}, failure: {}, hasMeta: true, failureName: 'ErrorAnswer' }

/** The form of a success of the CRM, in which answers are also stored. */
export const dataAndMeta: Conventions['success'] = successOf(plain)

/** Contacts, companies, deals and tasks, and the routes across them. */
export const crmConventions: Conventions = {
  envelope: plain,
  success: dataAndMeta,
  needsBuiltInCrm: true,
  synchronizes: true,
  refusesMalformedIds: false,
  pages: { cursor: cursorParameter(), limit: limitParameter() },
}

const withStatus: Envelope = {
  success: { status: 'OK' },
  failure: { status: 'ERROR' },
  hasMeta: false,
  failureName: 'StatusErrorAnswer',
}

/** Channels and AI agents (contract section 13): no versions, no external keys, and numbered pages. */
export const externalConventions: Conventions = {
  envelope: withStatus,
  success: successOf(withStatus),
  needsBuiltInCrm: false,
  synchronizes: false,
  refusesMalformedIds: true,
  pages: { page: pageParameter(), limit: limitParameter(limits.productsMax, limits.productsDefault) },
}

/** The path of an operation that only the pages of the product call. `rest` is what follows the organization: `/views/{id}`. */
export function cabinetPath(rest: string): string {
  return `/cabinet/api/o/{organization}${rest}`
}

/** Settings and members, which only the pages of the product administer, also where another provider keeps the CRM data. */
export const cabinetConventions: Conventions = { ...crmConventions, needsBuiltInCrm: false, synchronizes: false }
