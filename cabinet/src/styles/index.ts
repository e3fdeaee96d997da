import './tokens.css'
import './base.css'
import '../shell/shell.css'
import '../components/button.css'
import '../components/field.css'
import '../components/label.css'
import '../components/tabs.css'
import '../components/grid.css'
import '../components/overlay.css'
import '../components/record.css'
import '../components/diff.css'
import '../components/feedback.css'
import '../components/panel.css'
import '../entrance/entrance.css'
import '../account/account.css'
import '../editing/editing.css'
import '../lists/lists.css'
import './narrow.css'
import pressable from './pressable.css?url'

/**
 * React Aria would add this style as an element, which the policy of the pages forbids, unless it finds one with this id. So it is a file
 * like the others.
 */
export function linkPressableStyle(): void {
  const link = document.createElement('link')
  Object.assign(link, { id: 'react-aria-pressable-style', rel: 'stylesheet', href: pressable })
  document.head.append(link)
}
