import type { OrganizationSettings } from '../../kernel/schema/index.ts'
import type { AgentState } from './agent-fields.ts'

interface Settling {
  readonly write: { readonly configuration: { readonly organization: Pick<OrganizationSettings, 'locale'> } }
}

export const agentRules = {
  /** An agent without a language in the request gets that of its organization. */
  settle<State extends Pick<AgentState, 'language'>>(next: State, { write }: Settling): State {
    return next.language === '' ? { ...next, language: write.configuration.organization.locale } : next
  },
}
