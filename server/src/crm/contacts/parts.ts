import { defineActivity, defineAttachment } from '../../kernel/index.ts'
import { contact } from './contact.ts'

/** A past or planned event with a contact, such as a call (contract section 6.6). The contact is the one who took part. */
export const contactActivity = defineActivity({ parent: contact, table: 'contact_activities', participant: null })

/** A file that is attached to a contact (contract section 6.8). */
export const contactFile = defineAttachment(contact, 'contact_files', { ownsFile: true })
