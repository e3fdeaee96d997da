const remembered = 'crm-theme'

export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

/** The theme that was chosen in this browser. */
export function chosenTheme(): Theme {
  return themes.find(each => each === localStorage.getItem(remembered)) ?? 'system'
}

/** Shows the pages in a theme from now on, and remembers it in this browser. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(remembered, theme)
  applyTheme()
}

/** Tells the stylesheets what was chosen. `system` leaves it to the browser. */
export function applyTheme(): void {
  const theme = chosenTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
