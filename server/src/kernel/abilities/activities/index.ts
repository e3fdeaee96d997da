import type { Operation } from '../../operation.ts'
import type { Nested } from '../../record/index.ts'
import { nestedCreate } from '../nested/create-nested.ts'
import { nestedList } from '../nested/list-nested.ts'
import { nestedRemove } from '../nested/remove-nested.ts'
import { nestedUpdate } from '../nested/update-nested.ts'

export { defineActivity } from './define-activity.ts'

/** `GET` and `POST …/activities`, `PATCH` and `DELETE …/activities/:id` (contract section 6.6). */
export function activities(activity: Nested): Operation[] {
  return [nestedList(activity), nestedCreate(activity), nestedUpdate(activity), nestedRemove(activity)]
}
