import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { FileOperations } from '../../../broker/src/data-folder/file-operations.ts'
import type { Random } from '../../support/random.ts'
import { DiskImage, type Unsynced } from './disk-image.ts'
import { injected, unanswered } from './injected-error.ts'
import { CallControl, type Note } from './store.ts'

/** The fault of a call. `cut`: the power is cut; `error`: the call fails; `short`: a write is partial. */
export type Fault = 'cut' | 'error' | 'short'

const MEMORY = '/dev/shm'

/**
 * A disk whose cache is lost in a power cut. The files in `folder` are what a running process reads; the image of each
 * file is what survives a power cut. Calls run in order, and wait while the disk is held.
 */
export class Disk {
  /** The calls of the current process. */
  operations: FileOperations
  readonly #random: Random
  readonly #root: string
  #images = new Map<string, DiskImage>()
  /** Renames that are not synced yet. */
  #unsyncedRenames: (() => void)[] = []
  #syncedNames = new Map<string, DiskImage>()
  #files = new Map<number, DiskImage>()
  readonly #control = new CallControl<Fault>()
  readonly #note: Note
  #folders = 0
  #connections = 0
  #cut: () => void = () => undefined
  /** Number of calls. */
  calls = 0
  isEnded = false
  /** Resolves when the power is cut. */
  ended: Promise<void> = new Promise(() => undefined)

  constructor(random: Random, note: Note = () => undefined) {
    this.#random = random
    this.#note = note
    this.#root = fs.mkdtempSync(join(fs.existsSync(MEMORY) ? MEMORY : tmpdir(), 'quipu-disk-'))
    fs.mkdirSync(this.folder)
    fs.mkdirSync(this.stableFolder)
    this.operations = this.#connect()
    this.#powerOn()
  }

  get folder(): string {
    return join(this.#root, String(this.#folders))
  }

  /** A folder whose files survive every power cut. */
  get stableFolder(): string {
    return join(this.#root, 'stable')
  }

  get isHeld(): boolean {
    return this.#control.isHeld
  }

  hold(): void {
    this.#control.hold()
  }

  release(count?: number): void {
    this.#control.release(count)
  }

  /** Injects a fault into the n-th call from now. */
  plan(nth: number, fault: Fault): void {
    this.#control.plan(nth, fault)
  }

  /** Removes all planned faults. */
  clearFaults(): void {
    this.#control.clearFaults()
  }

  cut(): void {
    this.isEnded = true
    this.#cut()
  }

  /** Starts another process on the same files; calls of earlier processes get no response. */
  reconnect(): void {
    this.#powerOn()
    this.operations = this.#connect()
  }

  /** Restarts the machine with the files that survived the power cut. */
  restart(): void {
    const random = this.#random
    // Renames survive in order, up to a random one.
    for (const rename of this.#unsyncedRenames.slice(0, random.integer(0, this.#unsyncedRenames.length)))
      rename()
    this.#unsyncedRenames = []
    this.#folders += 1
    fs.mkdirSync(this.folder)
    const mode = random.pick(['none', 'all', 'torn', 'sectors'] as const)
    for (const [name, image] of this.#syncedNames) {
      image.losePower(mode)
      fs.writeFileSync(join(this.folder, name), image.bytes)
      fs.truncateSync(join(this.folder, name), image.length)
    }
    this.#images = new Map(this.#syncedNames)
    this.reconnect()
  }

  remove(): void {
    for (const file of this.#files.keys()) fs.closeSync(file)
    fs.rmSync(this.#root, { recursive: true, force: true })
  }

  #powerOn(): void {
    for (const file of this.#files.keys()) fs.closeSync(file)
    this.#files.clear()
    this.#control.clear()
    this.isEnded = false
    this.ended = new Promise((resolve) => {
      this.#cut = resolve
    })
  }

  /** The calls of one process. After a power cut none of them is ever answered. */
  #connect(): FileOperations {
    const connection = ++this.#connections
    const isOver = () => this.isEnded || connection !== this.#connections
    const call =
      <Inputs extends unknown[], Value>(
        name: string,
        run: (fault: Fault | undefined, ...inputs: Inputs) => Value,
      ) =>
      async (...inputs: Inputs): Promise<Value> => {
        await this.#control.ready()
        if (isOver()) return unanswered()
        this.calls += 1
        const fault = this.#control.next()
        this.#note(`disk ${name}: ${fault ?? 'executed'}`)
        const value = run(fault, ...inputs)
        if (fault === 'cut') this.cut()
        // The response follows one turn after the execution.
        await Promise.resolve()
        return isOver() ? unanswered() : value
      }
    return {
      open: call('open', (fault, path: string, flags: string) => this.#open(fault, path, flags)),
      write: call('write', (fault, file: number, bytes: Buffer, at: number) =>
        this.#write(fault, file, bytes, at),
      ),
      datasync: call('datasync', (fault, file: number) => this.#sync(fault, file)),
      sync: call('sync', (fault, file: number) => this.#sync(fault, file)),
      truncate: call('truncate', (fault, file: number, length: number) =>
        this.#truncate(fault, file, length),
      ),
      rename: call('rename', (fault, from: string, to: string) => this.#rename(fault, from, to)),
      syncFolder: call('syncFolder', (fault) => this.#syncFolder(fault)),
      close: call('close', (_, file: number) => this.#close(file)),
    }
  }

  #open(fault: Fault | undefined, path: string, flags: string): number {
    if (fault === 'error') throw diskError('open', 'EMFILE')
    const name = basename(path)
    const file = fs.openSync(path, flags, 0o600)
    let image = this.#images.get(name)
    if (!image || flags === 'w') this.#images.set(name, (image = new DiskImage(this.#random)))
    this.#files.set(file, image)
    return file
  }

  /** A failed or interrupted write may be partial. */
  #write(fault: Fault | undefined, file: number, bytes: Buffer, at: number): number {
    const written =
      fault === undefined ? bytes.length : this.#random.integer(fault === 'short' ? 1 : 0, bytes.length)
    const isSpace = bytes[0] === 0 && fs.fstatSync(file).size <= at
    this.#change(
      file,
      isSpace
        ? { kind: 'space', length: at + written }
        : { kind: 'write', at, bytes: Buffer.from(bytes.subarray(0, written)) },
    )
    if (fault === 'error') throw diskError('write', 'ENOSPC')
    return written
  }

  #sync(fault: Fault | undefined, file: number): void {
    const image = this.#files.get(file)!
    if (fault === 'error') {
      image.failSync()
      throw diskError('sync', 'EIO')
    }
    if (fault !== 'cut' || this.#random.chance(0.5)) image.sync()
  }

  #truncate(fault: Fault | undefined, file: number, length: number): void {
    if (fault === 'error') throw diskError('truncate', 'EIO')
    this.#change(file, { kind: 'truncate', length })
  }

  #rename(fault: Fault | undefined, from: string, to: string): void {
    if (fault === 'error') throw diskError('rename', 'ENOSPC')
    fs.renameSync(from, to)
    const image = this.#images.get(basename(from))!
    this.#images.delete(basename(from))
    this.#images.set(basename(to), image)
    this.#unsyncedRenames.push(() => this.#syncedNames.set(basename(to), image))
  }

  #syncFolder(fault: Fault | undefined): void {
    if (fault === 'error') throw diskError('syncFolder', 'EIO')
    if (fault === 'cut' && this.#random.chance(0.5)) return
    for (const rename of this.#unsyncedRenames) rename()
    this.#unsyncedRenames = []
  }

  #close(file: number): void {
    this.#files.delete(file)
    fs.closeSync(file)
  }

  #change(file: number, change: Unsynced): void {
    if (change.kind !== 'write') fs.ftruncateSync(file, change.length)
    else fs.writeSync(file, change.bytes, 0, change.bytes.length, change.at)
    this.#files.get(file)!.unsynced.push(change)
  }
}

function diskError(call: string, code: string): Error {
  return injected(new Error(`${call}: ${code}`))
}
