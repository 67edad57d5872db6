import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { FileOperations } from '../../../server/src/process/file-operations.ts'
import type { Random } from '../../random.ts'
import { Platter, type Unsynced } from './disk-image.ts'
import { made, unanswered } from './injected-error.ts'
import type { Note } from './store.ts'
import { Gate } from './store-calls.ts'

/** What goes wrong at one of the next calls. `cut`: the power; `error`: the call fails; `short`: a write takes less. */
export type Trouble = 'cut' | 'error' | 'short'

const MEMORY = '/dev/shm'

/**
 * A disk with a cache that forgets, for the journal to write to. The files in `folder` are what the system shows a
 * running process; next to each stands what the platter holds. Calls run in order, and wait while it is held.
 */
export class Disk {
  /** The calls of the process that runs. */
  operations: FileOperations
  readonly #random: Random
  readonly #root: string
  #platters = new Map<string, Platter>()
  /** Names that were changed and are not yet on the platter. */
  #unsyncedNames: (() => void)[] = []
  #kept = new Map<string, Platter>()
  #files = new Map<number, Platter>()
  readonly #gate = new Gate<Trouble>()
  readonly #note: Note
  #folders = 0
  #connections = 0
  #cut: () => void = () => undefined
  /** How many calls were made. */
  calls = 0
  isDead = false
  /** Resolves when the power is cut. */
  dead: Promise<void> = new Promise(() => undefined)

  constructor(random: Random, note: Note = () => undefined) {
    this.#random = random
    this.#note = note
    this.#root = fs.mkdtempSync(join(fs.existsSync(MEMORY) ? MEMORY : tmpdir(), 'quipu-disk-'))
    fs.mkdirSync(this.folder)
    fs.mkdirSync(this.aside)
    this.operations = this.#connect()
    this.#powerOn()
  }

  get folder(): string {
    return join(this.#root, String(this.#folders))
  }

  /** For files that no power cut touches. */
  get aside(): string {
    return join(this.#root, 'aside')
  }

  get isHeld(): boolean {
    return this.#gate.isHeld
  }

  hold(): void {
    this.#gate.hold()
  }

  letGo(count?: number): void {
    this.#gate.letGo(count)
  }

  /** Makes the n-th call from now go wrong. */
  plan(nth: number, trouble: Trouble): void {
    this.#gate.plan(nth, trouble)
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.#gate.calm()
  }

  cut(): void {
    this.isDead = true
    this.#cut()
  }

  /** Another process comes, and finds what the system has; earlier ones get no answer any more. */
  reconnect(): void {
    this.#powerOn()
    this.operations = this.#connect()
  }

  /** The machine comes back, and what survived the cut is there again. */
  restart(): void {
    const random = this.#random
    // Names are kept in the order they were given, up to some point.
    for (const rename of this.#unsyncedNames.slice(0, random.integer(0, this.#unsyncedNames.length))) rename()
    this.#unsyncedNames = []
    this.#folders += 1
    fs.mkdirSync(this.folder)
    const manner = random.pick(['none', 'all', 'torn', 'sectors'] as const)
    for (const [name, platter] of this.#kept) {
      platter.lose(manner)
      fs.writeFileSync(join(this.folder, name), platter.bytes)
      fs.truncateSync(join(this.folder, name), platter.length)
    }
    this.#platters = new Map(this.#kept)
    this.reconnect()
  }

  remove(): void {
    for (const file of this.#files.keys()) fs.closeSync(file)
    fs.rmSync(this.#root, { recursive: true, force: true })
  }

  #powerOn(): void {
    for (const file of this.#files.keys()) fs.closeSync(file)
    this.#files.clear()
    this.#gate.clear()
    this.isDead = false
    this.dead = new Promise((resolve) => {
      this.#cut = resolve
    })
  }

  /** The calls of one process. After a power cut none of them is ever answered. */
  #connect(): FileOperations {
    const own = ++this.#connections
    const isOver = () => this.isDead || own !== this.#connections
    const call =
      <Inputs extends unknown[], Value>(
        name: string,
        run: (trouble: Trouble | undefined, ...inputs: Inputs) => Value,
      ) =>
      async (...inputs: Inputs): Promise<Value> => {
        await this.#gate.passed()
        if (isOver()) return unanswered()
        this.calls += 1
        const trouble = this.#gate.next()
        this.#note(`disk ${name}: ${trouble ?? 'carried out'}`)
        const value = run(trouble, ...inputs)
        if (trouble === 'cut') this.cut()
        // The call is answered a moment after it was carried out.
        await Promise.resolve()
        return isOver() ? unanswered() : value
      }
    return {
      open: call('open', (trouble, path: string, flags: string) => this.#open(trouble, path, flags)),
      write: call('write', (trouble, file: number, bytes: Buffer, at: number) =>
        this.#write(trouble, file, bytes, at),
      ),
      datasync: call('datasync', (trouble, file: number) => this.#sync(trouble, file)),
      sync: call('sync', (trouble, file: number) => this.#sync(trouble, file)),
      truncate: call('truncate', (trouble, file: number, length: number) =>
        this.#truncate(trouble, file, length),
      ),
      rename: call('rename', (trouble, from: string, to: string) => this.#rename(trouble, from, to)),
      syncFolder: call('syncFolder', (trouble) => this.#syncFolder(trouble)),
      close: call('close', (_, file: number) => this.#close(file)),
    }
  }

  #open(trouble: Trouble | undefined, path: string, flags: string): number {
    if (trouble === 'error') throw fault('open', 'EMFILE')
    const name = basename(path)
    const file = fs.openSync(path, flags, 0o600)
    let platter = this.#platters.get(name)
    if (!platter || flags === 'w') this.#platters.set(name, (platter = new Platter(this.#random)))
    this.#files.set(file, platter)
    return file
  }

  /** Of a write that fails, or that the power cut interrupts, any part may have been taken. */
  #write(trouble: Trouble | undefined, file: number, bytes: Buffer, at: number): number {
    const taken =
      trouble === undefined ? bytes.length : this.#random.integer(trouble === 'short' ? 1 : 0, bytes.length)
    const isSpace = bytes[0] === 0 && fs.fstatSync(file).size <= at
    this.#keep(
      file,
      isSpace
        ? { kind: 'space', length: at + taken }
        : { kind: 'write', at, bytes: Buffer.from(bytes.subarray(0, taken)) },
    )
    if (trouble === 'error') throw fault('write', 'ENOSPC')
    return taken
  }

  #sync(trouble: Trouble | undefined, file: number): void {
    const platter = this.#files.get(file)!
    if (trouble === 'error') {
      platter.failSync()
      throw fault('sync', 'EIO')
    }
    if (trouble !== 'cut' || this.#random.chance(0.5)) platter.sync()
  }

  #truncate(trouble: Trouble | undefined, file: number, length: number): void {
    if (trouble === 'error') throw fault('truncate', 'EIO')
    this.#keep(file, { kind: 'truncate', length })
  }

  #rename(trouble: Trouble | undefined, from: string, to: string): void {
    if (trouble === 'error') throw fault('rename', 'ENOSPC')
    fs.renameSync(from, to)
    const platter = this.#platters.get(basename(from))!
    this.#platters.delete(basename(from))
    this.#platters.set(basename(to), platter)
    this.#unsyncedNames.push(() => this.#kept.set(basename(to), platter))
  }

  #syncFolder(trouble: Trouble | undefined): void {
    if (trouble === 'error') throw fault('syncFolder', 'EIO')
    if (trouble === 'cut' && this.#random.chance(0.5)) return
    for (const rename of this.#unsyncedNames) rename()
    this.#unsyncedNames = []
  }

  #close(file: number): void {
    this.#files.delete(file)
    fs.closeSync(file)
  }

  #keep(file: number, change: Unsynced): void {
    if (change.kind !== 'write') fs.ftruncateSync(file, change.length)
    else fs.writeSync(file, change.bytes, 0, change.bytes.length, change.at)
    this.#files.get(file)!.unsynced.push(change)
  }
}

function fault(call: string, why: string): Error {
  return made(new Error(`${call}: ${why}`))
}
