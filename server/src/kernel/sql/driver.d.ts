/** What the driver uses to make a value a parameter; it has no types of its own for it. */
declare module 'pg/lib/utils' {
  const utilities: { prepareValue(value: unknown): Buffer | string | null }
  export default utilities
}
