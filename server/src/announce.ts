import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { productVersion } from './kernel/product/index.ts'

/** Logs which version starts, and what is strange about its environment. */
export function announce({ warnings }: Config, logger: Logger): void {
  logger.info(`CRM server ${productVersion} starts, on Node.js ${process.versions.node}`)
  for (const warning of warnings) logger.warn(warning)
}
