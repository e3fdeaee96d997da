import { Secret } from '../server/src/kernel/index.ts'
import type { Database } from '../server/src/kernel/sql/index.ts'
import {
  createApplication,
  createLostReason,
  createOperator,
  createOrganization,
  createPipeline,
  createToken,
} from '../server/src/settings/index.ts'

/** The ids of an organization's configuration that its deals refer to. */
export interface SalesConfiguration {
  readonly organizationId: string
  /** For each pipeline three open stages, one won and one lost stage. */
  readonly pipelines: readonly { readonly id: string; readonly stages: readonly string[] }[]
  readonly operators: readonly string[]
  readonly lostReasons: readonly string[]
}

const stages = ['New:open', 'Talks:open', 'Offer:open', 'Won:won', 'Lost:lost'].map(text => {
  const [name = '', type = ''] = text.split(':')
  return { name, type }
})

/** An organization with two pipelines, 50 operators, and a token with all scopes. */
export async function configureSales(
  database: Database,
): Promise<SalesConfiguration & { readonly applicationId: string; readonly token: string }> {
  const administration = { database, secret: new Secret('a secret of the benchmark') }
  const { id: organizationId } = await createOrganization(administration, { name: 'Bench' })
  const pipelines: SalesConfiguration['pipelines'][number][] = []
  for (const name of ['Direct', 'Partners']) {
    const created = await createPipeline(administration, { organizationId, name, stages })
    pipelines.push({ id: created.id, stages: created.stages.map(({ uuid }) => uuid) })
  }
  const operators: string[] = []
  for (let number = 1; number <= 50; number += 1) {
    const operator = { organizationId, name: `Operator ${number}`, email: `operator.${number}@example.com` }
    operators.push((await createOperator(administration, operator)).id)
  }
  const lostReason = await createLostReason(administration, { organizationId, name: 'Bench' })
  const rates = { rateRead: 1_000_000, rateWrite: 1_000_000 }
  const { id: applicationId } = await createApplication(administration, { organizationId, name: 'Bench', ...rates })
  const { token } = await createToken(administration, { organizationId, applicationId, name: 'Bench', scopes: ['all'] })
  return { organizationId, pipelines, operators, lostReasons: [lostReason.uuid], applicationId, token }
}
