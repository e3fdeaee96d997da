/** Gives a value to a statement, and answers the parameter that stands for it: `$2`. */
export type Bind = (value: unknown) => string

/** Adds what is bound to the values of a statement. */
export function binding(values: unknown[]): Bind {
  return value => `$${values.push(value)}`
}
