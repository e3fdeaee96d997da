import { readFile } from 'node:fs/promises'
import { programFolder } from '../../../kernel/product/index.ts'
import type { JsonObject } from '../../../kernel/schema/index.ts'

/** Where the build writes the document, beside the compiled program. */
const prepared = new URL('prepared/openapi.json', programFolder)

/**
 * The OpenAPI document of this version, for clients that reach the server at `publicBaseUrl`. If that is undefined, the document refers to
 * the address it was loaded from. A program that runs from its sources generates the document now.
 */
export async function apiDocument(publicBaseUrl: string | undefined): Promise<JsonObject> {
  const text = await readFile(prepared, 'utf8').catch(() => null)
  const document: JsonObject = text === null ? await describeNow() : JSON.parse(text)
  return publicBaseUrl === undefined
    ? document
    : { ...document, servers: [{ url: publicBaseUrl.replace(/\/+$/u, '') }] }
}

async function describeNow(): Promise<JsonObject> {
  const { describeApi } = await import('./describe-api.ts')
  return describeApi()
}
