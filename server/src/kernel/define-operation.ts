import { crmConventions } from './conventions.ts'
import { limits } from './limits/index.ts'
import type { AnswerDeclaration, Operation } from './operation.ts'
import type { JsonSchema } from './schema/index.ts'

type Usual =
  | 'conventions'
  | 'success'
  | 'idempotent'
  | 'bodyLimit'
  | 'query'
  | 'chosenIds'
  | 'body'
  | 'refuses'
  | 'project'

/** What an operation declares. Members that it leaves out have their usual value. */
export interface OperationDeclaration extends Omit<Operation, Usual | 'answer'>, Partial<Pick<Operation, Usual>> {
  readonly answer: Omit<AnswerDeclaration, 'meta'> & { readonly meta?: JsonSchema }
}

/**
 * Completes a declaration with the usual values: the operation keeps the conventions of the CRM, answers 200, takes an
 * `Idempotency-Key` unless it is a GET, has neither query nor body, refuses
 * nothing of its own, and shows its data to every caller.
 */
export function defineOperation(declared: OperationDeclaration): Operation {
  const { answer, body } = declared
  return {
    conventions: crmConventions,
    success: [200],
    idempotent: declared.method !== 'GET',
    bodyLimit: body?.form === 'multipart' ? body.limit : limits.jsonBodyBytes,
    query: {},
    chosenIds: [],
    body: null,
    refuses: [],
    project: data => ({ data, redacted: [] }),
    ...declared,
    answer: { meta: { type: 'object' }, ...answer },
  }
}
