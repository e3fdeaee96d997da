import type { Operation } from '../../operation.ts'
import type { Nested } from '../../record/index.ts'
import { nestedList } from '../nested/list-nested.ts'
import { attachFiles } from './attach-files.ts'
import { detachFile } from './detach-file.ts'
import { projectFiles } from './project-files.ts'

export { defineAttachment } from './define-attachment.ts'

/** `GET` and `POST …/files`, `DELETE …/files/:fileId` (specification, "Attachments"). */
export function files(attachment: Nested): Operation[] {
  const list: Operation = {
    ...nestedList(attachment),
    project: (data, caller, presenting) => projectFiles(attachment, data, caller, presenting),
  }
  return [list, attachFiles(attachment), detachFile(attachment)]
}
