/** The languages of the pages. Texts are written in the first one, which is their id as well. */
export const languages = ['en', 'de', 'ru'] as const

export type Language = (typeof languages)[number]
