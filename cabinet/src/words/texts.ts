import type account from '../account/account.words.json'
import type failures from '../api/failures.words.json'
import type board from '../board/board.later.words.json'
import type checklists from '../checklists/checklists.later.words.json'
import type components from '../components/components.words.json'
import type items from '../deal-items/items.later.words.json'
import type deletion from '../deletion/deletion.later.words.json'
import type entrance from '../entrance/entrance.words.json'
import type imports from '../imports/imports.later.words.json'
import type jobs from '../jobs/jobs.words.json'
import type views from '../lists/views.later.words.json'
import type files from '../record-files/files.later.words.json'
import type panel from '../record-page/panel.later.words.json'
import type records from '../records/records.words.json'
import type settings from '../settings/settings.later.words.json'
import type shell from '../shell/shell.words.json'

/** Every text that the pages show. What is not in a file of words does not compile, so that nothing stays untranslated. */
export type Text =
  | keyof typeof account
  | keyof typeof board
  | keyof typeof checklists
  | keyof typeof components
  | keyof typeof deletion
  | keyof typeof entrance
  | keyof typeof failures
  | keyof typeof files
  | keyof typeof imports
  | keyof typeof items
  | keyof typeof jobs
  | keyof typeof panel
  | keyof typeof records
  | keyof typeof settings
  | keyof typeof shell
  | keyof typeof views
