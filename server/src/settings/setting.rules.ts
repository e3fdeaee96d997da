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

export const tagRules = {
  settle<State extends NamedState>(next: State, { siblings }: Context<State>): State | Refusal {
    const isTaken = others(next, siblings()).some(({ name }) => isSameText(name, next.name))
    return isTaken ? violates('/name', 'unique', `another tag is named ${next.name}`) : next
  },
}

interface PlacedState {
  readonly position: number
}

export const placedRules = {
  /** A new one comes last. */
  settle<State extends PlacedState>(next: State, { previous, siblings }: Context<State>): State {
    return previous === null ? { ...next, position: lastPosition(siblings()) + 1 } : next
  },
}

interface CustomFieldState extends PlacedState {
  readonly id: string
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
