import { limits } from './limits/index.ts'
import type { AnswerDeclaration, Operation } from './operation.ts'
import type { JsonSchema } from './schema/index.ts'
import { crm } from './surface.ts'

type Usual = 'surface' | 'success' | 'idempotent' | 'bodyLimit' | 'query' | 'chosenIds' | 'body' | 'refuses' | 'project'

/** What an operation declares. Members that it leaves out have their usual value. */
export interface OperationDeclaration extends Omit<Operation, Usual | 'answer'>, Partial<Pick<Operation, Usual>> {
  /** The path below the prefix of its surface. */
  readonly path: string
  readonly answer: Omit<AnswerDeclaration, 'meta'> & { readonly meta?: JsonSchema }
}

/**
 * Completes a declaration with the usual values: the operation belongs to the CRM, answers 200, takes an
 * `Idempotency-Key` unless it is a GET, has neither query nor body, refuses
 * nothing of its own, and shows its data to every caller.
 */
export function defineOperation(declared: OperationDeclaration): Operation {
  const { surface = crm, path, answer, body } = declared
  return {
    surface,
    success: [200],
    idempotent: declared.method !== 'GET',
    bodyLimit: body?.form === 'multipart' ? body.limit : limits.jsonBodyBytes,
    query: {},
    chosenIds: [],
    body: null,
    refuses: [],
    project: data => ({ data, redacted: [] }),
    ...declared,
    path: `${surface.prefix}${path}`,
    answer: { meta: { type: 'object' }, ...answer },
  }
}
