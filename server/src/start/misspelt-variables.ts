import { editDistance } from '../kernel/schema/index.ts'

/** Shorter names are similar to too many others. */
const shortest = 6
const farthest = 2

/**
 * A sentence for each environment variable that is unknown but similar to a known variable that is not set: `TRUSTED_PROXY` for
 * `TRUSTED_PROXIES`. Variables of OpenTelemetry are skipped, and those that Kubernetes sets for a service called `crm` are not similar
 * enough.
 */
export function misspeltVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): readonly string[] {
  const missing = [...known].filter(name => environment[name] === undefined && !ofOpenTelemetry(name))
  return Object.keys(environment).flatMap(name => {
    if (known.has(name) || ofOpenTelemetry(name)) return []
    const meant = missing.find(each => isNear(plain(name), plain(each)))
    return meant === undefined ? [] : [`${name} is set, which nothing reads: is ${meant} meant?`]
  })
}

function isNear(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < shortest) return false
  const reach = Math.min(farthest, Math.floor(other.length / 5))
  return editDistance(one, other, reach) <= reach
}

/** A name without common sources of mistakes: plurals and word boundaries. */
function plain(name: string): string {
  return name
    .replaceAll(/IES(?=_|$)/gu, 'Y')
    .replaceAll(/S(?=_|$)/gu, '')
    .replaceAll('_', '')
}

function ofOpenTelemetry(name: string): boolean {
  return name.startsWith('OTEL_')
}
