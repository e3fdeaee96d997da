import { defineAttachment } from '../../kernel/index.ts'
import { task } from './task.ts'

/** A file that is attached to a task (contract section 6.8). */
export const taskFile = defineAttachment(task, 'task_files')
