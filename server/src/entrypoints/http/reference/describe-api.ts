import { openApiDocument } from '../../../kernel/openapi/index.ts'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import { nestedResources, operations, resources } from '../../../modules.ts'

/** Generates the OpenAPI document of this version. This takes some tenths of a second, so the build does it once for all starts. */
export function describeApi(): JsonObject {
  return openApiDocument({ operations, resources: [...resources, ...nestedResources], version: '1.0.0' })
}
