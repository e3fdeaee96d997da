/** The driver's function that converts a value to a parameter. The driver ships no types for it. */
declare module 'pg/lib/utils' {
  const utilities: { prepareValue(value: unknown): Buffer | string | null }
  export default utilities
}
