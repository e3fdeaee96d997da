import { isScope, type Refusal, type Request, refuse, type Services } from '../../kernel/index.ts'
import { violates } from '../../kernel/schema/index.ts'
import type { Administration } from '../administer.ts'
import { AdministrationError, UnknownSetting } from '../administration-error.ts'

/** The administration of an organization by the user who makes a request: what the operator has reserved is refused. */
export function administrationBy(
  { caller, actor, reader }: Request,
  { database, secret, clock }: Services,
): Administration {
  const { requestId, clientRequestId, origin } = actor
  return {
    database,
    secret,
    clock,
    author: caller.author,
    as: 'owner',
    request: { requestId, clientRequestId, origin, reader },
    // Nobody grants what they lack.
    grantableScopes: [...caller.scopes].filter(isScope),
  }
}

/** The result of administrative work, or the refusal that its error tells. */
export async function answerAdministration<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AdministrationError)) throw error
    if (error instanceof UnknownSetting) return refuse('not_found', {}, error.message)
    return error.refusal ?? violates('', 'setting', error.message)
  }
}
