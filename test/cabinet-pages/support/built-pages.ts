import { pathToFileURL } from 'node:url'
import { buildCabinet } from '../../../scripts/build-cabinet.ts'
import { onceInRun } from '../../support/once-in-run.ts'

/** The pages, built once for the run, with the page of all components. */
export async function builtPages(): Promise<URL> {
  const folder = await onceInRun('pages', made => buildCabinet(made, { withComponents: true }))
  return pathToFileURL(`${folder}/`)
}
