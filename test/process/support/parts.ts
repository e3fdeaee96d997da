import { childrenOf, type Environment, type Processes, type Server } from '../../support/process.ts'
import { until } from '../../support/waiting.ts'

/** The numbers of the processes of a server, or of those alone that do this, in the order in which they were started. */
export function partsOf({ pid }: Pick<Server, 'pid'>, role?: 'api' | 'worker'): number[] {
  const roles = role === undefined ? ['api', 'worker'] : [role]
  return childrenOf(pid)
    .filter(({ command }) => roles.some(name => command.includes(`--role ${name} --part`)))
    .map(child => child.pid)
}

/** Starts a server with two processes for requests, and one for jobs. */
export function serveWithTwo(processes: Processes, environment: Environment): Promise<Server> {
  return processes.serve(environment, undefined, ['--processes', '2'])
}

/** The sums of the metrics of a server: `sum` adds up the values of those whose name and labels fit. */
export async function metricsOf({ url }: Pick<Server, 'url'>): Promise<{ sum(form: RegExp): number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return {
    sum: form =>
      lines
        .filter(line => form.test(line))
        .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0),
  }
}

/** Resolves when so many processes for requests, and the one for jobs, do their work. */
export async function untilAllReady(server: Server, requests = 2): Promise<void> {
  await until('all processes of the server', async () => {
    if (!server.running) throw new Error(`the server ended: ${server.err}`)
    const metrics = await metricsOf(server).catch(() => null)
    const ready = (role: string) => metrics?.sum(new RegExp(`^crm_processes\\{role="${role}"\\}`, 'u'))
    return ready('api') === requests && ready('worker') === 1
  })
}
