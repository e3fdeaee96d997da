import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository, run, withFolder } from '../../scripts/release/run.ts'

const deploy = join(repository, 'deploy')
const chart = join(deploy, 'helm', 'crm-server')

/** Whether a program refuses, and what it says then. */
const refusal = (program: string, words: readonly string[]): Promise<string> =>
  run(program, words).then(
    () => '',
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  )

const required = ['existingSecret=crm', 'publicBaseUrl=https://crm.example', 's3.bucket=files'].flatMap(set => [
  '--set',
  set,
])
const optional = [
  'api.autoscaling.enabled=true',
  'ingress.enabled=true,ingress.host=crm.example,ingress.tlsSecret=tls,ingress.className=nginx',
  'networkPolicy.enabled=true,networkPolicy.from[0].namespaceSelector.matchLabels.name=ingress',
  'trustedProxies={10.0.0.0/8,10.1.0.0/16}',
  'environment.CHANGE_RETENTION_DAYS=60,crossOrigin=false,smtpFrom=crm@crm.example',
  'imagePullSecrets[0].name=registry,api.nodeSelector.disk=ssd,worker.tolerations[0].key=jobs',
  's3.endpoint=https://storage.example,migration.existingSecret=owner',
  'extraVolumes[0].name=authority,extraVolumes[0].secret.secretName=authority',
  'extraVolumeMounts[0].name=authority,extraVolumeMounts[0].mountPath=/etc/authority,extraVolumeMounts[0].readOnly=true',
  'priorityClassName=important,podAnnotations.mesh=outside',
  'serviceAccountName=files,serviceAccount.create=true,serviceAccount.annotations.role=files',
  'backup.to=s3://backups/crm,backup.withFiles=true',
].flatMap(set => ['--set', set])

test.each([
  ['with what it requires', [], 6],
  ['with all that can be switched on', optional, 12],
])('the chart %s gives resources that Kubernetes knows', async (_, values, count) => {
  await run('helm', ['lint', '--strict', chart, ...required, ...values])
  await withFolder(async folder => {
    const file = join(folder, 'rendered.yaml')
    await writeFile(file, await run('helm', ['template', 'crm', chart, ...required, ...values]))
    const said = await run('sh', ['-c', `kubernetes-validate --strict ${file} 2>&1`])
    expect(said.match(/ passed for resource /gu)).toHaveLength(count)
  })
})

test('the chart requires the values that it cannot know', async () => {
  const said = await refusal('helm', ['template', 'crm', chart])
  for (const name of ['existingSecret', 'publicBaseUrl', 's3/bucket']) expect(said).toContain(`'/${name}'`)
  expect(await refusal('helm', ['template', 'crm', chart, ...required, '--set', 'ingress.enabled=true'])).toContain(
    'ingress.host',
  )
})

/** What the chart makes of further values. */
const rendered = (...values: readonly string[]): Promise<string> =>
  run('helm', ['template', 'crm', chart, ...required, ...values])

test('every pod has the configured volumes, annotations, priority and account', async () => {
  const text = await rendered(...optional)
  const times = (words: string) => text.split(words).length - 1
  // The pods of requests, of jobs, of the migration, and of backups.
  for (const words of [
    'secretName: authority',
    'mountPath: /etc/authority',
    'mesh: outside',
    'priorityClassName: important',
  ])
    expect([words, times(words)]).toEqual([words, 4])
  // The migration runs before the chart has made the account.
  expect(times('serviceAccountName: files')).toBe(3)
  expect(text).toMatch(/kind: ServiceAccount\nmetadata:\n {2}name: files\n(?: .*\n)* {4}role: files\n/u)
  const existing = await rendered('--set', 'serviceAccountName=there')
  expect(existing.split('serviceAccountName: there')).toHaveLength(4)
  expect(existing).not.toContain('kind: ServiceAccount')
})

test('a backup is made where a place for it is named', async () => {
  expect(await rendered()).not.toContain('kind: CronJob')
  const text = await rendered('--set', 'backup.to=s3://backups/crm,backup.keep=30')
  expect(text).toMatch(/kind: CronJob\n(?:.*\n)*? {2}schedule: "17 2 \* \* \*"\n/u)
  expect(text).toMatch(/args:\n +- backup\n +- --to=s3:\/\/backups\/crm\n +- --keep=30\n +envFrom:/u)
})

test('another configuration replaces the pods, the same one does not', async () => {
  const checksums = async (...values: readonly string[]) => [
    ...new Set((await rendered(...values)).match(/checksum\/configuration: [0-9a-f]{64}/gu)),
  ]
  const [before, ...others] = await checksums()
  expect(others).toEqual([])
  expect(await checksums('--set', 'worker.replicas=3')).toEqual([before])
  expect(await checksums('--set', 'environment.ACCESS_LOG=all')).not.toEqual([before])
})

test('pages of other origins are kept away where the chart says so', async () => {
  expect(await rendered()).toContain('{ name: API_CORS, value: "on" }')
  const closed = await rendered('--set', 'crossOrigin=false')
  expect(closed).toContain('{ name: API_CORS, value: "off" }')
  expect(closed).not.toContain('{ name: API_CORS, value: "on" }')
})

test('mail is from the address that the chart is given, and from none without it', async () => {
  expect(await rendered()).not.toContain('SMTP_FROM')
  expect(await rendered('--set', 'smtpFrom=crm@crm.example')).toContain('{ name: SMTP_FROM, value: "crm@crm.example" }')
})

test('large numbers stay numbers', async () => {
  await withFolder(async folder => {
    const file = join(folder, 'values.yaml')
    await writeFile(file, 'environment: { MANY: 12000000, HALF: 0.5, TOLD: true }\napi: { spool: 2000000000 }\n')
    const text = await rendered('--values', file)
    expect(text).toContain('{ name: MANY, value: "12000000" }')
    expect(text).toContain('{ name: HALF, value: "0.5" }')
    expect(text).toContain('{ name: TOLD, value: "true" }')
    expect(text).toContain('sizeLimit: 2000000000 }')
  })
})

test.each([
  'replicas=3',
  'api.replica=3',
  'worker.autoscaling.enabled=true',
  'ingress.tls=secret',
  'environment.access_log=all',
  'serviceAccount.name=files',
])('the chart refuses the key that it does not know in %s', async value => {
  const said = await refusal('helm', ['template', 'crm', chart, ...required, '--set', value])
  expect(said).toMatch(/additional properties|invalid propertyName|does not match pattern/iu)
})

test('the monitor of Prometheus sends the token that /metrics requires', async () => {
  const values = ['--set', 'serviceMonitor.enabled=true,serviceMonitor.tokenSecret.name=metrics']
  const shown = await run('helm', [
    'template',
    'crm',
    chart,
    ...required,
    ...values,
    '--show-only',
    'templates/service-monitor.yaml',
  ])
  expect(shown).toContain('path: /metrics')
  expect(shown).toContain('authorization:\n        credentials: { name: metrics, key: token }\n')
})

interface Composed {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly depends_on?: object
        readonly networks: object
        readonly environment?: Readonly<Record<string, string>>
      }
    >
  >
  readonly networks: object
}

test('the Compose file is valid, and the example of its environment names each of its secrets', async () => {
  const example = await readFile(join(deploy, '.env.example'), 'utf8')
  const asked = [...example.matchAll(/^(\w+)=(.*)$/gmu)].map(([, name = '', value = '']) => [name, value] as const)
  expect(asked.filter(([name, value]) => value !== '' && name !== 'CRM_IMAGE')).toEqual([])
  const values = Object.fromEntries(asked.map(([name, value]) => [name, value || `a-${name}`]))
  const text = await readFile(join(deploy, 'compose.yaml'), 'utf8')
  const filled = text.replace(
    /\$\{(\w+)(?::[?-][^}]*)?\}/gu,
    (_, name: string) => values[name] ?? `no ${name} in the example`,
  )
  expect(filled).not.toContain('in the example')
  await withFolder(async folder => {
    await writeFile(join(folder, 'compose.yaml'), filled)
    const words = ['-no-interpolation', '-format', 'json', 'compose.yaml']
    const { services, networks }: Composed = JSON.parse(await run('compose-go', words, folder))
    for (const [name, { depends_on: needs = {}, networks: joined }] of Object.entries(services)) {
      expect({ name, needs: Object.keys(needs).filter(needed => !(needed in services)) }).toEqual({ name, needs: [] })
      expect({ name, joined: Object.keys(joined).filter(network => !(network in networks)) }).toEqual({
        name,
        joined: [],
      })
    }
    const server = services['api-1']?.environment ?? {}
    expect(server['DATABASE_URL']).toBe('postgres://crm:a-POSTGRES_PASSWORD@postgres:5432/crm')
    expect(server['API_CORS']).toBe('a-API_CORS')
    expect([server['SMTP_URL'], server['SMTP_FROM']]).toEqual(['a-SMTP_URL', 'a-SMTP_FROM'])
    expect(services['worker']?.environment).toEqual(server)
  })
})

test('the proxy reads its file, and names both nodes', async () => {
  const words = ['adapt', '--config', join(deploy, 'Caddyfile'), '--adapter', 'caddyfile', '--validate']
  const adapted = await run('env', ['CRM_HOST_NAME=crm.example', 'caddy', ...words])
  for (const part of ['"crm.example"', '"api-1:3000"', '"api-2:3000"', '"max_size":105906176'])
    expect(adapted).toContain(part)
})

test('a linter has no warning for the Dockerfile', async () => {
  await run('tally', ['lint', '--fail-level', 'warning', join(deploy, 'Dockerfile')])
})

test('systemd takes the unit, and finds that it holds few rights', async () => {
  await withFolder(async root => {
    // The program that it starts has to be there.
    await mkdir(join(root, 'opt', 'crm-server', 'bin'), { recursive: true })
    await cp(join(repository, 'server', 'bin', 'crm-server'), join(root, 'opt', 'crm-server', 'bin', 'crm-server'))
    const unit = join(root, 'crm-server.service')
    const text = await readFile(join(deploy, 'systemd', 'crm-server.service'), 'utf8')
    await writeFile(unit, text.replace('ExecStart=/opt', `ExecStart=${root}/opt`))
    expect(await run('sh', ['-c', `systemd-analyze verify --man=no --recursive-errors=no ${unit} 2>&1`])).toBe('')
    await run('systemd-analyze', ['security', '--offline=true', '--threshold=30', '--no-pager', unit])
  })
})

/** The number that follows these words in a text. */
const numberBehind = (text: string, words: string) => Number(new RegExp(`${words}\\D*?(\\d+)`, 'u').exec(text)?.[1])
const requestSeconds = 25

test.each([
  ['the chart', () => run('helm', ['template', 'crm', chart, ...required]), 'terminationGracePeriodSeconds:'],
  ['the compose file', () => readFile(join(deploy, 'compose.yaml'), 'utf8'), 'stop_grace_period:'],
  ['the unit', () => readFile(join(deploy, 'systemd', 'crm-server.service'), 'utf8'), 'TimeoutStopSec='],
])(
  '%s lets a server announce its stop, and kills it only after requests have had their time',
  async (_, read, words) => {
    const text = await read()
    const delay = numberBehind(text, 'SHUTDOWN_DELAY_SECONDS')
    expect(delay).toBeGreaterThanOrEqual(5)
    expect(numberBehind(text, words)).toBeGreaterThan(delay + requestSeconds)
  },
)
