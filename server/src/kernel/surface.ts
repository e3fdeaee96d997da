import type { ErrorCode } from './errors/index.ts'
import { cursorParameter, limitParameter, pageParameter, type QueryDeclaration } from './input/index.ts'
import { isUuid } from './schema/index.ts'

/**
 * A part of the API with conventions of its own. Each operation belongs to one surface, and declares none of this
 * itself.
 */
export interface Surface {
  /** The prefix of all its paths. */
  readonly prefix: string
  /** The text of a success around the JSON of its data; `after` makes the end from the meta. */
  readonly success: { readonly before: string; after(meta: Readonly<Record<string, unknown>>): string }
  /** The body of a refusal. */
  failure(error: PublicError): unknown
  /** Whether organizations whose CRM is another product are refused (gate 4). */
  readonly needsBuiltInCrm: boolean
  /** A path parameter in the form for execution; null if it cannot name anything, which is a 404. */
  pathParameter(text: string): string | null
  /** The query parameters for pages of a list. */
  readonly pages: QueryDeclaration
  /** Which of the two rate limits of an application a request counts for (gate 5). */
  rateBucket(method: string): 'read' | 'write'
}

/** What an integrator is told of a refusal. */
export interface PublicError {
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string
}

/** The form of a success on `crm`, in which answers are stored too. */
export const dataAndMeta: Surface['success'] = {
  before: '{"data":',
  after: meta => `,"meta":${JSON.stringify(meta)}}`,
}

const bucketOf = (method: string) => (method === 'GET' || method === 'HEAD' ? 'read' : 'write')

/** The routes of contacts, companies, deals and tasks, and those across them. */
export const crm: Surface = {
  prefix: '/api/v1/crm',
  success: dataAndMeta,
  failure: error => ({ error }),
  needsBuiltInCrm: true,
  pathParameter: text => (isUuid(text) ? text.toLowerCase() : null),
  pages: { cursor: cursorParameter(), limit: limitParameter() },
  rateBucket: bucketOf,
}

const chosenId = /^[A-Za-z0-9._:-]{1,100}$/u

/** What channels and AI agents have in common (contract section 13): clients may choose ids, and pages have numbers. */
const external = {
  success: { before: '{"status":"OK","data":', after: () => '}' },
  failure: (error: PublicError) => ({ status: 'ERROR', error }),
  needsBuiltInCrm: false,
  pathParameter: (text: string) => (chosenId.test(text) ? text : null),
  pages: { page: pageParameter(), limit: limitParameter() },
  rateBucket: bucketOf,
}

export const channels: Surface = { ...external, prefix: '/api/v1/external' }

export const aiAgents: Surface = { ...external, prefix: '/api/v1/ai-agents/external' }

/** The surface that a path belongs to, even if it has no operation; `crm` for all other paths. */
export function surfaceAt(path: string): Surface {
  const [plain = ''] = path.split('?')
  return [channels, aiAgents].find(({ prefix }) => plain === prefix || plain.startsWith(`${prefix}/`)) ?? crm
}
