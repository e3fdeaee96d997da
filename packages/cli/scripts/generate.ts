import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { isObject } from '../src/json.ts'
import { printRowShapes } from './print-row-shapes.ts'

/** Makes what follows from the document of the API: run before the program is compiled or checked. */
const folder = new URL('../src/generated/', import.meta.url)
const document: unknown = JSON.parse(await readFile(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8'))
const schemas = isObject(document) && isObject(document['components']) ? document['components']['schemas'] : undefined
if (!isObject(schemas)) throw new Error('the document has no schemas')
await mkdir(folder, { recursive: true })
await writeFile(new URL('row-shapes.ts', folder), printRowShapes(schemas))
