import { openApiDocument } from '../../../kernel/openapi/index.ts'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import { eventSources, nestedResources, operations, resources } from '../../../modules.ts'
import { webhookMessages } from '../../../webhooks/index.ts'

/** Generates the OpenAPI document of this version. This takes some tenths of a second, so the build does it once for all starts. */
export function describeApi(): JsonObject {
  const kinds = [...resources, ...nestedResources]
  return openApiDocument({ operations, resources: kinds, messages: webhookMessages(eventSources), version: '1.0.0' })
}
