import { type Refusal, violates } from '../kernel/schema/index.ts'

/** What rules see: the setting as it was, what was sent, and all settings of its kind. */
interface Context<State> {
  readonly previous: State | null
  readonly input: Readonly<Record<string, unknown>>
  siblings(): Iterable<State>
}

interface OrganizationState {
  readonly defaultCurrency: string
  readonly currencies: readonly string[]
}

export const organizationRules = {
  /** Amounts without a currency are in the default one, so it stays enabled, before the others. */
  settle<State extends OrganizationState>(next: State, { previous, input }: Context<State>): State {
    const { defaultCurrency, currencies } = next
    if (previous !== null && input.currencies === undefined) return next
    return { ...next, currencies: [defaultCurrency, ...currencies.filter(currency => currency !== defaultCurrency)] }
  },
}

interface OperatorState {
  readonly id: string
  readonly email: string
}

export const operatorRules = {
  settle<State extends OperatorState>(next: State, { siblings }: Context<State>): State | Refusal {
    const isTaken = others(next, siblings()).some(({ email }) => isSameText(email, next.email))
    return isTaken ? violates('/email', 'unique', `another operator has the e-mail address ${next.email}`) : next
  },
}

interface NamedState {
  readonly id: string
  readonly name: string
}

interface PlacedState {
  readonly position: number
}

/** Applications: a disabled one is out of use, so its name is free. */
export const applicationRules = {
  settle<State extends NamedState & { readonly enabled: boolean }>(next: State, context: Context<State>) {
    return refuseTaken('application', next, context, ({ enabled }) => enabled) ?? next
  },
}

export const tagRules = {
  settle<State extends NamedState>(next: State, context: Context<State>): State | Refusal {
    return refuseTaken('tag', next, context) ?? next
  },
}

export const pipelineRules = {
  settle<State extends NamedState & PlacedState>(next: State, context: Context<State>): State | Refusal {
    return refuseTaken('pipeline', next, context) ?? placedLast(next, context)
  },
}

/** Stages have different names in their pipeline, apart from archived ones. */
export const stageRules = {
  settle<State extends NamedState & { readonly archived: boolean; readonly pipelineId?: unknown }>(
    next: State,
    context: Context<State>,
  ): State | Refusal {
    const isAlive = ({ archived, pipelineId }: State) => !archived && pipelineId === next.pipelineId
    return refuseTaken('stage', next, context, isAlive) ?? next
  },
}

export const lostReasonRules = { settle: placedLast }

/** Names that were given twice before stay until one of them changes. */
function refuseTaken<State extends NamedState>(
  word: string,
  next: State,
  { previous, siblings }: Context<State>,
  isAlive: (state: State) => boolean = () => true,
): Refusal | null {
  const isOld = previous !== null && isAlive(previous) && isSameText(previous.name, next.name)
  if (isOld || !isAlive(next)) return null
  const isTaken = others(next, siblings()).some(other => isAlive(other) && isSameText(other.name, next.name))
  return isTaken ? violates('/name', 'unique', `another ${word} is named ${next.name}`) : null
}

/** A new one comes last. */
function placedLast<State extends PlacedState>(next: State, { previous, siblings }: Context<State>): State {
  return previous === null ? { ...next, position: lastPosition(siblings()) + 1 } : next
}

interface CustomFieldState extends PlacedState {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly key: string
}

export const customFieldRules = {
  /** Kind and key identify it. Each kind has an order of its own. */
  settle<State extends CustomFieldState>(next: State, { previous, siblings }: Context<State>): State | Refusal {
    const { kind, key } = next
    const ofKind = others(next, siblings()).filter(other => other.kind === kind)
    if (ofKind.some(other => other.key === key)) {
      return violates('/key', 'unique', `there is a custom field ${key} of the kind ${kind}`)
    }
    const isRenamed = previous === null || !isSameText(previous.label, next.label)
    if (isRenamed && ofKind.some(({ label }) => isSameText(label, next.label))) {
      return violates('/label', 'unique', `another custom field of the kind ${kind} is labelled ${next.label}`)
    }
    return previous === null ? { ...next, position: lastPosition(ofKind) + 1 } : next
  },
}

function others<State extends { readonly id: string }>({ id }: State, siblings: Iterable<State>): State[] {
  return [...siblings].filter(other => other.id !== id)
}

function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function lastPosition(siblings: Iterable<PlacedState>): number {
  return Math.max(-1, ...[...siblings].map(({ position }) => position))
}
