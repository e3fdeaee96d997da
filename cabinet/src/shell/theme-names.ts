import type { Theme } from '../preferences/index.ts'
import type { Text } from '../words/index.ts'

/** What themes are called. */
export const themeNames: Readonly<Record<Theme, Text>> = { system: 'As the system', light: 'Light', dark: 'Dark' }
