import type { Issue } from '../../errors/index.ts'
import type { Field } from '../field.ts'
import type { JsonSchema } from '../json.ts'
import { Decimal, minimalDecimal } from '../money.ts'

interface DecimalOptions {
  /** The valid values in words, because JSON Schema cannot express the range of a text. */
  readonly description: string
  readonly example?: string
  /** The most digits after the decimal point. */
  readonly digits?: number
  /** The value must be greater than this. */
  readonly above?: string
  readonly most?: string
  /** The value of a new record if the request leaves the field out. Without it the field is required. */
  readonly initial?: string
}

/** The pattern of a computed sum, which has as many digits as it needs. */
export const sumPattern = '^(0|[1-9]\\d*)(\\.\\d+)?$'

/**
 * A quantity, a price or a rate. It is a decimal string and never a JSON number, because exact sums are computed from
 * it (specification, "Decimal values"; contract section 6.7). It is stored without superfluous zeros.
 */
export function decimal(options: DecimalOptions): Field<string> {
  const { description, example, digits = 6, initial } = options
  const pattern = `^(0|[1-9]\\d{0,14})(\\.\\d{1,${digits}})?$`
  return {
    column: 'numeric',
    input: { type: 'string', pattern, documented: documentedRange(options, digits) },
    output: { '': { type: 'string', pattern: sumPattern } },
    description,
    ...(example === undefined ? {} : { example }),
    ...(initial === undefined ? { requiredOnCreate: true } : {}),
    initial: initial ?? '0',
    inspect: (value, path) => outOfRange(options, String(value), path),
    accept: value => minimalDecimal(String(value)),
  }
}

/**
 * The part of the range that a pattern can express: a maximum with as many digits, or 100 for percentages, and that zero is not allowed.
 */
function documentedRange({ above, most }: DecimalOptions, digits: number): JsonSchema {
  const fraction = `(\\.\\d{1,${digits}})?`
  const [whole = ''] = most?.split('.') ?? []
  const pattern = /^10+$/u.test(whole)
    ? `^((0|[1-9]\\d{0,${whole.length - 2}})${fraction}|${whole}(\\.0{1,${digits}})?)$`
    : `^(0|[1-9]\\d{0,${whole.length - 1}})${fraction}$`
  return { ...(most === undefined ? {} : { pattern }), ...(above === '0' ? { not: { pattern: '^0(\\.0+)?$' } } : {}) }
}

function outOfRange({ above, most }: DecimalOptions, value: string, path: string): Issue[] {
  const number = new Decimal(value)
  if (above !== undefined && !number.gt(above))
    return [{ path, rule: 'range', message: `More than ${above} is expected` }]
  if (most !== undefined && number.gt(most)) return [{ path, rule: 'range', message: `${most} at most is expected` }]
  return []
}
