export { singleKeysAreOn, switchSingleKeys, useSingleKeys } from './keys.ts'
export { applyTheme, chooseTheme, chosenTheme, type Theme, themes } from './theme.ts'
