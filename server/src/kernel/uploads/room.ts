import { rm } from 'node:fs/promises'
import { type AdmittedRequest, DiskShare } from '../admission/index.ts'
import type { Refusal } from '../errors/index.ts'
import { inTime } from '../files/index.ts'
import { bounds } from '../limits/index.ts'
import { type DiskServices, refuseBytes, refuseFiles } from './refuse-files.ts'
import type { Spool } from './spool.ts'

interface RoomServices extends DiskServices {
  readonly spool: Spool
  onFailure(error: unknown, facts: Readonly<Record<string, unknown>>): void
}

/** The memory and disk space that a form uses while its request is served. */
export class Room {
  readonly #services: RoomServices
  readonly #request: AdmittedRequest
  readonly #share: DiskShare
  #folder: Promise<string> | null = null

  constructor(services: RoomServices, request: AdmittedRequest) {
    this.#services = services
    this.#request = request
    this.#share = new DiskShare(services.admission, request.organizationId)
  }

  /** The folder for files. */
  folder(): Promise<string> {
    this.#folder ??= inTime(this.#services.spool.open(), bounds.diskSilence.most, remove)
    return this.#folder
  }

  /** Reserves disk space for a body of this declared length, 0 if none is declared; a refusal (503) if there is not enough. */
  async begin(bytes: number): Promise<Refusal | null> {
    return (await refuseFiles(this.#services)) ?? this.reachOnDisk(bytes)
  }

  /** Reserves disk space up to this total size of the body; a refusal (503) if there is not enough. */
  reachOnDisk(bytes: number): Refusal | null {
    const refusal = this.#share.reach(bytes)
    if (refusal !== null) return refusal
    // A file is written twice: when it arrives, and to its store.
    return refuseBytes(2 * this.#services.admission.spoolBytes.total, this.#services)
  }

  /** Reserves memory for more bytes; a refusal (503) if there is not enough. */
  takeMemory(bytes: number): Refusal | null {
    return this.#request.takeBody(bytes)
  }

  /** Removes the files, and then releases their space. */
  async clear(): Promise<void> {
    try {
      // The caller that requested the folder received the error if it could not be created.
      const folder = await this.#folder?.catch(() => null)
      if (folder) await inTime(remove(folder), bounds.diskSilence.most)
    } catch (error) {
      this.#services.onFailure(error, { spool: this.#services.spool.directory })
    } finally {
      this.#share.giveBack()
    }
  }
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true })
}

/** Runs the work with a room for a form. Afterwards nothing of the form is left. */
export async function inRoom<Result>(
  services: RoomServices,
  request: AdmittedRequest,
  work: (room: Room) => Promise<Result>,
): Promise<Result> {
  const room = new Room(services, request)
  try {
    return await work(room)
  } finally {
    await room.clear()
  }
}
