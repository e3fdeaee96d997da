import { describe, expect, it } from 'vitest'
import { apiDocument } from './api-document.ts'

describe('the servers of the OpenAPI document', () => {
  it.each([
    ['where clients reach the server', 'https://crm.example/base/', 'https://crm.example/base'],
    ['where clients got the document from, if that is not configured', undefined, '/'],
  ])('are %s', async (_, publicBaseUrl, url) => {
    expect((await apiDocument(publicBaseUrl)).servers).toEqual([{ url }])
  })
})
