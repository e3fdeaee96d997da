import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const versionIn = (folder: string): string =>
  JSON.parse(readFileSync(new URL(`../../${folder}package.json`, import.meta.url), 'utf8')).version

test('the server, its sources and all packages have one version, and the document names the files of that release', () => {
  const packages = readdirSync(new URL('../../packages', import.meta.url)).map(name => `packages/${name}/`)
  const version = versionIn('server/')
  for (const folder of ['', ...packages]) expect({ folder, version: versionIn(folder) }).toEqual({ folder, version })
  const document = readFileSync(new URL('../../docs/sdk.md', import.meta.url), 'utf8')
  expect(document).toContain(`npm install ./crm-sdk-${version}.tgz`)
})
