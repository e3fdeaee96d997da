import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const versionIn = (folder: string): string => JSON.parse(read(`${folder}package.json`)).version

test('the server, its sources and all packages have one version, and the documents name the files of that release', () => {
  const inPython = 'packages/python/'
  const folders = readdirSync(new URL('../../packages', import.meta.url)).map(name => `packages/${name}/`)
  const packages = folders.filter(folder => folder !== inPython)
  const version = versionIn('server/')
  for (const folder of ['', ...packages]) expect({ folder, version: versionIn(folder) }).toEqual({ folder, version })
  expect(read(`${inPython}src/crm_sdk/core/version.py`)).toContain(`__version__ = "${version}"\n`)
  expect(read('docs/sdk.md')).toContain(`npm install ./crm-sdk-${version}.tgz`)
  for (const page of ['docs/python.md', `${inPython}README.md`])
    expect(read(page)).toContain(`pip install ./crm_sdk-${version}-py3-none-any.whl`)
  for (const page of ['docs/n8n.md', 'packages/n8n-nodes-crm/README.md'])
    expect(read(page)).toContain(`./n8n-nodes-crm-${version}.tgz`)
  for (const page of ['docs/cli.md', 'packages/cli/README.md'])
    expect(read(page)).toContain(`npm install --global ./crm-cli-${version}.tgz`)
  expect(read('packages/cli/src/version.ts')).toContain(`'${version}'`)
})
