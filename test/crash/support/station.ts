import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database, migrate, statement } from '../../../server/src/kernel/sql/index.ts'
import { onDatabase } from '../../process/support/installations.ts'
import { aSmallDisk, type Disk } from '../../process/support/small-disk.ts'
import {
  databaseUrl,
  type Environment,
  type Processes,
  postmasterOf,
  type Server,
  sendSignal,
} from '../../support/process.ts'
import { fillDisk } from './full-disk.ts'

/** What happens to a server, to its database or to their disks. */
export const faults = [
  'the server is killed',
  'the database is killed',
  'both are killed',
  'the database is away for a while',
  'the database is silent for a while',
  'the disk of the files is full for a while',
  'the disk of the database is full for a while',
] as const
export type Fault = (typeof faults)[number]

const diskMegabytes = 96

// Every write of what jobs and requests change leaves change events or audit entries; reads go on.
const simulatedDisk = `
  create table test_disk (is_full boolean not null);
  insert into test_disk values (false);
  create function take_room() returns boolean language plpgsql as $$ begin
    if (select is_full from public.test_disk) then
      raise exception 'could not extend file "base/1/1": No space left on device' using errcode = '53100';
    end if;
    return true;
  end $$;
  alter table audit_entries add constraint test_disk check (take_room());
  alter table files add constraint test_disk check (take_room());`

// Instead of waiting until the others take a silent worker for dead.
const ageWorkers = `
  update job_workers set beat_at = beat_at - interval '1 hour';
  update graphile_worker._private_jobs set locked_at = locked_at - interval '1 hour', run_at = least(run_at, now());
  update graphile_worker._private_job_queues set locked_at = locked_at - interval '1 hour'`

const findProcesses = statement('crash_database_processes', 'select pid from pg_stat_activity')

/** A server whose database is a process of its own, so that each of them can be lost without the other. */
export class Station {
  readonly environment: Environment
  readonly #processes: Processes
  readonly #folder: string
  readonly #disk: Disk | null
  #postgres: EmbeddedPostgres
  #server: Promise<Server>

  private constructor(
    processes: Processes,
    folder: string,
    postgres: EmbeddedPostgres,
    environment: Environment,
    disk: Disk | null,
  ) {
    this.#processes = processes
    this.#folder = folder
    this.#postgres = postgres
    this.environment = environment
    this.#disk = disk
    this.#server = this.#start()
  }

  static async start(processes: Processes): Promise<Station> {
    const folder = await processes.folder()
    const postgres = await startEmbeddedPostgres({ dataDirectory: folder })
    const database = new Database({ location: postgres.connection, connections: 1 })
    await migrate(database)
    await database.script(simulatedDisk)
    await database.close()
    const disk = aSmallDisk(diskMegabytes)
    const common = await onDatabase(processes, databaseUrl(postgres.connection))
    const environment = { ...common, ...(disk === null ? {} : { CRM_DATA_DIR: disk.folder }) }
    const station = new Station(processes, folder, postgres, environment, disk)
    await station.#server
    return station
  }

  /** Where the server is; while there is none, where the next one will be. Throws when it has ended by itself. */
  readonly address = async (): Promise<string> => {
    const server = await this.#server
    if (!server.running) throw new Error(`the server has ended by itself: ${server.err}`)
    return server.url
  }

  /** The folder of its files. */
  get dataDirectory(): string {
    return this.environment['CRM_DATA_DIR'] ?? ''
  }

  /** Does something in its database. */
  async beside<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    const database = new Database({ location: this.#postgres.connection, connections: 2 })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }

  /** Lets it happen, and resolves when all is as it was: what is lost is there again. */
  async suffer(fault: Fault, milliseconds: number): Promise<void> {
    const isOfServer = fault === 'the server is killed' || fault === 'both are killed'
    if (isOfServer) {
      const server = await this.#server
      server.send('SIGKILL')
      // From here on nobody is sent to the old one.
      this.#server = server.ended.then(() => this.#startAfterwards(fault))
    } else if (fault === 'the database is killed') await this.#loseDatabase(0)
    else if (fault === 'the database is away for a while') await this.#loseDatabase(milliseconds)
    else if (fault === 'the database is silent for a while') await this.#silence(milliseconds)
    else if (fault === 'the disk of the files is full for a while') await this.#fillFiles(milliseconds)
    else await this.#fillDatabase(milliseconds)
    await this.#server
    if (!isOfServer) await this.beside(database => database.script(ageWorkers))
  }

  async stop(): Promise<void> {
    const server = await this.#server
    await server.end('SIGKILL')
    await this.#postgres.stop()
    await this.#disk?.remove()
  }

  #start(): Promise<Server> {
    return this.#processes.serve(this.environment)
  }

  async #startAfterwards(fault: Fault): Promise<Server> {
    if (fault === 'both are killed') await this.#loseDatabase(0)
    await this.beside(database => database.script(ageWorkers))
    return this.#start()
  }

  async #loseDatabase(milliseconds: number): Promise<void> {
    const pid = await postmasterOf(this.#folder)
    if (pid !== null) sendSignal(pid, 'SIGKILL')
    await this.#postgres.lost
    await sleep(milliseconds)
    await this.#postgres.stop()
    this.#postgres = await startEmbeddedPostgres({ dataDirectory: this.#folder })
  }

  async #silence(milliseconds: number): Promise<void> {
    const postmaster = await postmasterOf(this.#folder)
    const rows = await this.beside(database => database.query(findProcesses, []))
    const pids = [...(postmaster === null ? [] : [postmaster]), ...rows.map(({ pid }) => Number(pid))]
    try {
      for (const pid of pids) sendSignal(pid, 'SIGSTOP')
      await sleep(milliseconds)
    } finally {
      for (const pid of pids) sendSignal(pid, 'SIGCONT')
    }
  }

  async #fillFiles(milliseconds: number): Promise<void> {
    const empty = await fillDisk(this.#disk)
    await sleep(milliseconds)
    await empty()
  }

  async #fillDatabase(milliseconds: number): Promise<void> {
    const fill = (isFull: boolean) =>
      this.beside(database => database.script(`update test_disk set is_full = ${isFull}`))
    await fill(true)
    await sleep(milliseconds)
    await fill(false)
  }
}
