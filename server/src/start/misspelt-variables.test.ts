import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const warningsIn = (environment: Readonly<Record<string, string>>) => readConfig(environment).warnings

describe('a variable that is nearly called like a known one', () => {
  it.each([
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['CRM_SECERT', 'CRM_SECRET'],
    ['CRM_DATADIR', 'CRM_DATA_DIR'],
    ['REDIS_URI', 'REDIS_URL'],
    ['S3_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
    ['PUBLIC_BASE_URLS', 'PUBLIC_BASE_URL'],
    ['SHUTDOWN_DELAY_SECOND', 'SHUTDOWN_DELAY_SECONDS'],
  ])('warns: %s', (name, meant) => {
    expect(warningsIn({ [name]: 'x' })).toEqual([`${name} is set, which nothing reads: is ${meant} meant?`])
  })

  it('is listed beside other faults', () => {
    const environment = { DATABASE_URL: 'postgres://db/crm', CRM_SECERT: 'a secret of the tests' }
    expect(() => readConfig(environment)).toThrow(
      'CRM_SECRET is required when DATABASE_URL is set; CRM_SECERT is set, which nothing reads: is CRM_SECRET meant?',
    )
  })

  it('does not warn where the known one is set', () => {
    expect(warningsIn({ PUBLIC_BASE_URL: 'https://crm.example', PUBLIC_BASE_URLS: 'x' })).toEqual([])
  })

  it.each([
    // What Kubernetes sets for services of these names.
    ...['CRM', 'CRM_CRM_SERVER', 'REDIS', 'DATABASE', 'S3'].flatMap(service =>
      [
        ...['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_3000_TCP', 'PORT_3000_TCP_PROTO'],
        ...['PORT_3000_TCP_PORT', 'PORT_3000_TCP_ADDR'],
      ].map(name => `${service}_${name}`),
    ),
    ...[
      'HOSTNAME',
      'HOME',
      'POST',
      'PORTS',
      'AWS_REGION',
      'DATABASE_USER',
      'DATABASE_PORT',
      'DATABASE_NAME',
      'REDIS_HOST',
    ],
    ...['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'CRM_URL', 'CRM_TOKEN', 'CRM_HOST_NAME'],
  ])('does not warn of %s', name => {
    expect(warningsIn({ [name]: 'x' })).toEqual([])
  })
})
