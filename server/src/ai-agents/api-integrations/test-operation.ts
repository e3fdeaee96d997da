import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  jsonBody,
  type Request,
  type Services,
} from '../../kernel/index.ts'
import { isObject, textSchema } from '../../kernel/schema/index.ts'
import { CallFailed } from './call/load-callable.ts'
import { testIntegration } from './call/test-integration.ts'

const notShown = 'Null where the operator has allowed networks that are not public.'

/** `POST …/api-integrations/{id}/test`: calls the other system once, as an agent would. The answer never contains the secret. */
export const testApiIntegration = defineOperation({
  conventions: cabinetConventions,
  idempotent: false,
  id: 'apiIntegrations.test',
  method: 'POST',
  path: cabinetPath('/api-integrations/{id}/test'),
  summary: 'Call the other system once, and show what it answers',
  scopes: ['ai_integrations_manage'],
  body: jsonBody(
    'ApiIntegrationTest',
    {
      parameters: {
        type: 'object',
        maxProperties: 30,
        description: 'The values of its parameters, by name.',
      },
    },
    ['parameters'],
  ),
  refuses: [
    ['not_found', 'There is no such API integration.'],
    ['unprocessable', 'A parameter is wrong, or the other system does not answer.'],
  ],
  answer: {
    data: {
      component: 'TestedApiIntegration',
      type: 'object',
      required: ['method', 'url', 'status', 'milliseconds', 'headers', 'body', 'isCut'],
      properties: {
        method: textSchema('The method of the request.', 'GET'),
        url: textSchema('Where it went, without the secret.', 'https://erp.example/orders/17'),
        status: { type: 'integer' },
        milliseconds: { type: 'number' },
        headers: { type: ['object', 'null'], additionalProperties: { type: 'string' }, description: notShown },
        body: { type: ['string', 'null'], description: `Its beginning. ${notShown}` },
        isCut: { type: 'boolean', description: 'Whether the response is longer.' },
      },
    },
  },
  execute: callOnce,
})

async function callOnce({ caller, path: { id = '' }, body }: Request, services: Services) {
  const { parameters = {} } = isObject(body) ? body : {}
  const { Outbound } = await import('../../kernel/outbound/index.ts')
  const outbound = new Outbound(services.outbound)
  try {
    const test = { organizationId: caller.organization.id, id, parameters }
    const tested = await testIntegration(test, { ...services, outbound })
    // An organization must not read the operator's own network.
    const isPublic = services.outbound.allowedNetworks.length === 0
    const data = isPublic ? { ...tested } : { ...tested, headers: null, body: null }
    return { status: 200, data, meta: {} }
  } catch (error) {
    if (error instanceof CallFailed) return error.refusal
    throw error
  }
}
