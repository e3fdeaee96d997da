import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledNode } from './node-program.ts'
import { run } from './run.ts'

interface BillOfMaterials {
  readonly serialNumber?: string
  readonly metadata: object
  readonly components: readonly object[]
}

/** Lists everything in the archive as `sbom.cdx.json`, in CycloneDX format: the npm packages, and Node.js. */
export async function writeBillOfMaterials(made: string, program: string, timestamp: string): Promise<void> {
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application']
  // Its random serial number would make each list different.
  const { serialNumber: _random, ...listed }: BillOfMaterials = JSON.parse(await run('npm', words, made))
  const { version } = bundledNode
  const node = { 'bom-ref': `node@${version}`, type: 'application', name: 'node', version, scope: 'required' }
  const components = [...listed.components, { ...node, purl: `pkg:generic/node@${version}` }]
  const bill = { ...listed, metadata: { ...listed.metadata, timestamp }, components }
  await writeFile(join(program, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
}
