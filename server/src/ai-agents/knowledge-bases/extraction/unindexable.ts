import { UnreadableFile } from '../../../kernel/documents/index.ts'

/** Why a file has no text that can be found, and what to do about it. Integrators read these messages. */
export const failures = {
  protected: 'The file has a password: upload it without one',
  damaged: 'The file is damaged: open it in the program that made it, save it anew and upload it again',
  no_text:
    'The file has no text, or does not tell which characters most of it shows. Recognise the text of its pages first (OCR) and upload the result',
  too_deep: 'The elements of the page stand deeper inside of each other than in any page: upload it in a simpler form',
  too_much_text: 'The file has more text than one file may have: upload it in parts',
  too_many_passages: 'The file has more paragraphs or rows than one file may have: upload it in parts',
  no_room:
    'The organization has as many passages as it may have: delete files that are not needed, and upload it again',
  file_missing: 'The file is not in the store of files any more: upload it again',
  internal_error: 'The file could not be read after several attempts: upload it again',
} as const

export type FailureCode = keyof typeof failures

/** Ends the reading of a file whose text cannot be had. */
export class Unindexable extends UnreadableFile {
  constructor(code: FailureCode) {
    super(code, failures[code])
  }
}
