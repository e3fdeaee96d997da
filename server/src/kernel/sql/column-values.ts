import pg from 'pg'

const { builtins } = pg.types
const dateArray = 1182

/** Converts PostgreSQL values to JavaScript: dates are texts, and timestamps have the form of answers. */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === builtins.TIMESTAMPTZ) return utcTimestamp
      if (oid === builtins.DATE || oid === dateArray) return (text: string) => text
    }
    return pg.types.getTypeParser(oid, format)
  },
}

/** `2026-01-31 09:15:00.12+00` (session time zone UTC) as `2026-01-31T09:15:00.120Z`. */
function utcTimestamp(text: string): string {
  const fraction = text.slice(20, text.indexOf('+'))
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

/** The column name of a field: snake case for camel case. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/gu, letter => `_${letter.toLowerCase()}`)
}
