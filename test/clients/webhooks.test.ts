import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../documentation/markdown.ts'
import { type RunningServer, startServer } from '../documentation/server.ts'
import { Client } from '../support/client.ts'
import { freePorts } from '../support/free-ports.ts'
import { until } from '../support/waiting.ts'
import { buildReceiver, type Delivery, Receiver, verifiers } from './receivers.ts'

const genuine = [
  'contact.created 1',
  'contact.updated 2',
  'contact.deleted 3',
  'company.created 1',
  'deal.created 1',
  'task.created 1',
  'task.updated 2',
]

let server: RunningServer
/** Stands between the server and the receivers, and keeps what passes. */
let witness: Server
let folder: string
let started: ReadonlyMap<string, Promise<Receiver>> = new Map()
const passed = new Map<string, Delivery[]>()

beforeAll(async () => {
  server = await startServer(join(root, 'server/dist/main.js'), loopbackAllowed)
  folder = await mkdtemp(join(tmpdir(), 'crm-receivers-'))
  witness = createServer((request, response) => {
    forward(request).then(
      status => response.writeHead(status).end(),
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(witness, 'listening')
  const { applications } = await command('application', 'list', '--all')
  const names = [...verifiers.keys()]
  const secrets: string[] = []
  for (const name of names) secrets.push(await createWebhook(name, applications[0].id))
  const ports = await freePorts(names.length)
  // Registries are waited for together; each library takes its failure to its own test.
  started = new Map(names.map((name, index) => [name, start(name, secrets[index] ?? '', ports[index] ?? 0)]))
  await Promise.allSettled(started.values())
  await makeChanges(new Client(server.url, (await readFile(join(server.dataDirectory, 'demo-token'), 'utf8')).trim()))
}, 1_200_000)

afterAll(async () => {
  for (const result of await Promise.allSettled(started.values()))
    if (result.status === 'fulfilled') result.value.stop()
  witness.closeAllConnections()
  witness.close()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test.each([...verifiers.keys()])(
  '%s takes seven deliveries of the server and refuses three forged ones',
  async name => {
    const receiver = await receiverOf(name)
    const deliveries = await until('all deliveries', () => {
      const all = passed.get(name) ?? []
      return all.length === genuine.length && all
    })
    expect(deliveries.some(({ body }) => body.includes('Þórshöfn 🪑'))).toBe(true)
    const original = await until('the first event', () =>
      deliveries.find(({ body }) => body.includes('contact.created')),
    )

    const { body } = original
    const id = String(original.headers['webhook-id'])
    const signed = (secret: string, at: number, messageId = id): Delivery => ({
      headers: {
        'webhook-id': messageId,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': new Webhook(secret).sign(messageId, new Date(at), body),
      },
      body,
    })
    const tenMinutes = 600_000
    const forged: readonly Delivery[] = [
      { ...original, body: body.replace('contact.created', 'contact.deleted') },
      signed(receiver.secret, Date.now() - tenMinutes),
      signed(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, Date.now()),
    ]
    for (const delivery of forged) expect(await receiver.send(delivery)).toBe(401)

    // What came before is done once, and what is older than the copy here is not done at all.
    expect(await receiver.send(signed(receiver.secret, Date.now()))).toBe(204)
    expect(await receiver.send(signed(receiver.secret, Date.now(), `${id}-another`))).toBe(204)

    const said = ['listening', ...genuine, 'refused', 'refused', 'refused', 'repeated', 'late']
    await until('all that it says', () => receiver.lines.length >= said.length)
    expect(receiver.lines.toSorted()).toEqual(said.toSorted())
    const ofContact = (line: string) => line.startsWith('contact.')
    expect(receiver.lines.filter(ofContact)).toEqual(genuine.filter(ofContact))
  },
)

const loopbackAllowed = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }

function receiverOf(name: string): Promise<Receiver> {
  const receiver = started.get(name)
  if (receiver === undefined) throw new Error(`there is no receiver ${name}`)
  return receiver
}

/** Creates a webhook whose deliveries pass the witness; returns its secret. */
async function createWebhook(name: string, applicationId: string): Promise<string> {
  const address = witness.address()
  if (address === null || typeof address === 'string') throw new Error('the witness does not listen')
  const url = `http://127.0.0.1:${address.port}/${name}`
  const words = ['--application', applicationId, '--name', name, '--url', url, '--kinds', '*', '--body', 'full']
  return (await command('webhook', 'create', ...words)).secret
}

/** Builds a receiver, and starts it with the secret of its webhook. */
async function start(name: string, secret: string, port: number): Promise<Receiver> {
  const verifier = verifiers.get(name)
  if (verifier === undefined) throw new Error(`there is no library ${name}`)
  const place = join(folder, name)
  await buildReceiver(verifier, place)
  const receiver = new Receiver(place, secret, port)
  await receiver.listens()
  return receiver
}

/** What a command prints as JSON. */
async function command(...words: readonly string[]) {
  const env = { PATH: process.env['PATH'], CRM_DATA_DIR: server.dataDirectory, ...loopbackAllowed }
  const { stdout } = await promisify(execFile)(process.execPath, [server.program, ...words, '--json'], { env })
  return JSON.parse(stdout)
}

/** Hands a delivery on as it came; resolves to the status of the answer. */
async function forward(request: IncomingMessage): Promise<number> {
  const name = request.url?.slice(1) ?? ''
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([key, values = []]) => [key, values.join()]),
  )
  const delivery = { headers, body: await text(request) }
  const receiver = await receiverOf(name)
  const status = await receiver.send(delivery)
  passed.set(name, [...(passed.get(name) ?? []), delivery])
  return status
}

/** Makes the changes that `genuine` tells of. */
async function makeChanges(client: Client): Promise<void> {
  const made = (path: string, body: object) => client.post(path, body)
  const contact = await made('/contacts', { firstName: 'Zoë' })
  const company = await made('/companies', { name: 'Þórshöfn 🪑' })
  const task = await made('/tasks', { title: 'Call' })
  const answers = [
    contact,
    await client.patch(`/contacts/${contact.data.id}`, { expectedVersion: 1, jobTitle: 'Buyer' }),
    await client.delete(`/contacts/${contact.data.id}?expectedVersion=2&mode=full`),
    company,
    await made('/deals', { title: 'Two hundred chairs', companies: [{ id: company.data.id }] }),
    task,
    await client.patch(`/tasks/${task.data.id}`, { expectedVersion: 1, title: 'Call again' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 201, 201, 201, 200])
}
