import { defineAttachment } from '../../kernel/index.ts'
import { deal } from './deal.ts'

/** A file that is attached to a deal (contract section 6.8). */
export const dealFile = defineAttachment(deal, 'deal_files')
