import { appendFileSync } from 'node:fs'
import { failuresOf } from '../../server/src/kernel/openapi/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { closed, schemasOf } from '../golden/document.ts'
import { goldenDocument } from '../golden/render.ts'
import { answeredFailures } from './listed-failures.ts'

const document = closed(goldenDocument)
const schemaAt = schemasOf(isObject(document) ? document : {})
const validators = {
  single: schemaAt('/components/schemas/Failure'),
  element: schemaAt('/components/schemas/ElementFailure'),
}

/**
 * Throws if a failure, or that of a batch element, does not match the documented schema of its code: clients read `details`, so an
 * undocumented member is useless.
 */
export function expectDocumentedErrors({ error, data }: JsonObject): void {
  if (isObject(error)) expectDocumented('single', error)
  if (!Array.isArray(data)) return
  // The status of an element is a number; that of a record, which may have an error of its own, is a string.
  for (const element of data)
    if (isObject(element) && typeof element.status === 'number' && isObject(element.error))
      expectDocumented('element', element.error)
}

/** Throws if an operation of the product fails in a way that the OpenAPI document does not list for it. */
export function expectListedFailure(method: string, path: string, status: number, { code }: JsonObject): void {
  if (code === undefined) return
  const operation = routes.find(
    route => route.method === method && route.form.test(path.split('?')[0] ?? ''),
  )?.operation
  // A body for an operation without a documented body is not a request of the document.
  if (operation === undefined || (status === 413 && operation.body === null)) return
  const listed: readonly unknown[] = failuresOf(operation).get(status) ?? []
  if (!listed.includes(code)) throw new Error(`${operation.id} is not documented to answer ${status} ${code}`)
  recordAnswered(`${operation.id} ${status} ${code}`)
}

function recordAnswered(failure: string): void {
  const file = process.env[answeredFailures]
  if (file === undefined || seen.has(failure)) return
  seen.add(failure)
  appendFileSync(file, `${failure}\n`)
}

const seen = new Set<string>()

// Paths without parameters come first: `/contacts/upsert` is not an id.
const routes = operations
  .map(operation => ({
    operation,
    method: operation.method,
    form: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u'),
  }))
  .sort((one, other) => one.operation.path.split('{').length - other.operation.path.split('{').length)

function expectDocumented(form: keyof typeof validators, error: JsonObject): void {
  const validate = validators[form]
  if (validate(error)) return
  const wrong = (validate.errors ?? []).map(({ instancePath, message, params }) => [instancePath, message, params])
  throw new Error(`the error does not match the OpenAPI document: ${JSON.stringify(error)}: ${JSON.stringify(wrong)}`)
}
