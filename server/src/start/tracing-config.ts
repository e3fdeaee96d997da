/** The format of traces: both are forms of OTLP over HTTP. */
export type TraceForm = (typeof forms)[number]

const forms = ['http/protobuf', 'http/json'] as const

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]

/**
 * Whether traces are sent, by the variables of OpenTelemetry. Variables that only its library uses, such as headers, are left to it. Adds
 * errors to `problems`.
 */
export function readTracing(text: (name: string) => string | undefined, problems: string[]): TraceForm | undefined {
  const exporter = text('OTEL_TRACES_EXPORTER')
  const hasEndpoint = ['', 'TRACES_'].some(signal => text(`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`) !== undefined)
  const isWanted = (exporter ?? (hasEndpoint ? 'otlp' : 'none')) !== 'none'
  if (!isWanted || text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  if (exporter !== undefined && exporter !== 'otlp') problems.push('OTEL_TRACES_EXPORTER is otlp or none')
  const sampler = text('OTEL_TRACES_SAMPLER')
  if (sampler !== undefined && !samplers.includes(sampler))
    problems.push(`OTEL_TRACES_SAMPLER is one of ${samplers.join(', ')}`)
  const wanted = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? forms[0]
  const form = forms.find(each => each === wanted)
  if (form === undefined) problems.push(`OTEL_EXPORTER_OTLP_PROTOCOL is ${forms.join(' or ')}`)
  return form
}
