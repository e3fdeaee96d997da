import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { closed, schemasOf } from '../golden/document.ts'
import { goldenDocument } from '../golden/render.ts'

const document = closed(goldenDocument)
const schemaAt = schemasOf(isObject(document) ? document : {})
const validators = {
  single: schemaAt('/components/schemas/Failure'),
  element: schemaAt('/components/schemas/ElementFailure'),
}

/**
 * Throws when a failure, or that of an element of a batch, is not as the document describes its code: clients read
 * `details`, so a member that nobody told them of is as good as none.
 */
export function expectDocumentedErrors({ error, data }: JsonObject): void {
  if (isObject(error)) expectDocumented('single', error)
  if (!Array.isArray(data)) return
  for (const element of data)
    if (isObject(element) && isObject(element.error)) expectDocumented('element', element.error)
}

function expectDocumented(form: keyof typeof validators, error: JsonObject): void {
  const validate = validators[form]
  if (validate(error)) return
  const wrong = (validate.errors ?? []).map(({ instancePath, message, params }) => [instancePath, message, params])
  throw new Error(`not as the document has it: ${JSON.stringify(error)}: ${JSON.stringify(wrong)}`)
}
