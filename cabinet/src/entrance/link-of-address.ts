/**
 * The secret of the link that led here. It stands behind `#`, so that no proxy has seen it, and is taken out of the address and of the
 * history of the browser before anything is sent. Null if the address has none.
 */
export function takeLink(): string | null {
  const link = location.hash.slice(1)
  if (link === '') return null
  history.replaceState(history.state, '', location.pathname)
  return link
}
