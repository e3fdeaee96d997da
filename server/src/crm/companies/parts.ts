import { defineActivity, defineAttachment } from '../../kernel/index.ts'
import { contact } from '../contacts/index.ts'
import { company } from './company.ts'

/** A past or planned event with a company, such as a meeting (contract section 6.6). */
export const companyActivity = defineActivity({ parent: company, table: 'company_activities', participant: contact })

/** A file that is attached to a company (contract section 6.8). */
export const companyFile = defineAttachment(company, 'company_files', { ownsFile: true })
