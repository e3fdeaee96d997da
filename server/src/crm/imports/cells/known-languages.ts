/** The languages in which names of months and countries are recognized first; months only in these. */
export const knownLanguages = ['en', 'de', 'ru', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'uk'] as const
