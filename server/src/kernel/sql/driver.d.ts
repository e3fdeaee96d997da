/** The function of the driver that makes a parameter of a value. The driver ships no types for it. */
declare module 'pg/lib/utils' {
  const utilities: { prepareValue(value: unknown): Buffer | string | null }
  export default utilities
}
