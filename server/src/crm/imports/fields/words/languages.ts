import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import type { HeaderWords } from './meaning.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'

/**
 * The languages of headers that imports understand. To add one, write a file like these and list it here. Where a word means different
 * things, the first language decides.
 */
export const headerLanguages: readonly HeaderWords[] = [english, german, russian, french, spanish]
