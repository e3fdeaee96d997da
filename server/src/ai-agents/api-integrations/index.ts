import { create, get, listAll, type Module, removeUsed, update } from '../../kernel/index.ts'
import { outboundBounds } from '../../kernel/outbound/index.ts'
import { apiIntegration } from './api-integration.ts'
import { integrationBounds } from './parameters-field.ts'
import { testApiIntegration } from './test-operation.ts'
import { withUniqueName } from './unique-name.ts'

export { apiIntegration } from './api-integration.ts'
export { testIntegration } from './call/test-integration.ts'

export const apiIntegrations: Module = {
  resources: [apiIntegration],
  bounds: { ...integrationBounds, ...outboundBounds },
  operations: [
    listAll(apiIntegration),
    get(apiIntegration),
    withUniqueName(create(apiIntegration)),
    withUniqueName(update(apiIntegration)),
    removeUsed(apiIntegration, { asks: false }),
  ],
  cabinetOperations: [testApiIntegration],
}
