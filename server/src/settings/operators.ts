import { Refusal } from '../kernel/index.ts'
import { type Administration, administer } from './administer.ts'
import { changeSetting } from './change-setting.ts'
import { operator } from './operator-record.ts'

export interface NewOperator {
  readonly organizationId: string
  readonly name: string
  /** Unique in the organization, whatever its letter case. */
  readonly email: string
}

/** Creates an operator. Throws an `AdministrationError` when the e-mail address is taken, or a value is not valid. */
export async function createOperator(
  administration: Administration,
  { organizationId, ...input }: NewOperator,
): Promise<{ id: string }> {
  return administer(administration, organizationId, {
    needs: needs => needs.toLoadNestedIn(operator, organizationId),
    decide(draft) {
      const created = draft.add(operator, input)
      return created instanceof Refusal ? created : { id: created.id }
    },
  })
}

export interface OperatorChange {
  readonly organizationId: string
  readonly operatorId: string
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly active?: boolean | undefined
}

/** Changes an operator. Throws an `AdministrationError` when there is no such one, or the e-mail address is taken. */
export async function setOperator(
  administration: Administration,
  { organizationId, operatorId, ...change }: OperatorChange,
): Promise<{ id: string }> {
  return changeSetting(administration, { organizationId, kind: operator, id: operatorId }, (draft, before) => {
    const changed = draft.alter(operator, before, change)
    return changed instanceof Refusal ? changed : { id: before.id }
  })
}
