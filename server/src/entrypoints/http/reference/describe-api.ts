import { openApiDocument } from '../../../kernel/openapi/index.ts'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import { nestedResources, operations, resources } from '../../../modules.ts'

/** Makes the OpenAPI document of this version. It takes some tenths of a second, so the build makes it for all starts. */
export function describeApi(): JsonObject {
  return openApiDocument({ operations, resources: [...resources, ...nestedResources], version: '1.0.0' })
}
