import assert from 'node:assert/strict'
import type { Instant } from '@quipu/core'
import type { Journal } from '../../broker/src/journal/journal.ts'
import { eventOf } from '../../broker/src/journal/stored-event.ts'
import { instant, plainSettings } from '../../broker/src/world/testing/world.ts'
import type { Random } from '../support/random.ts'
import { Acknowledgements } from './checker/acknowledgements.ts'
import { assertBars } from './checker/bars.ts'
import { Checker } from './checker/checker.ts'
import { type Recorded, recordInto } from './checker/recorder.ts'
import { assertSameAsReference, expectedHash, SEGMENT_EVENTS } from './checker/reference.ts'
import { tick } from './faults/event-loop.ts'
import { assertExpected, isExpectedError } from './faults/injected-error.ts'
import { Machine, readNewEntries } from './faults/machine.ts'
import type { Process } from './faults/process.ts'
import { type Note, type Store, takeSnapshot } from './faults/store.ts'
import type { Setup } from './setups.ts'
import { seedData } from './setups.ts'
import { OpenStream, type SimulatedApi, TokenApi } from './workload/api.ts'
import { Clients } from './workload/clients.ts'
import { QuietRequests } from './workload/quiet.ts'
import { pickDowntime, pickDuration, pickStep, type Step } from './workload/steps.ts'

export type RunParts = {
  readonly random: Random
  readonly seed: string
  readonly store: Store
  readonly api: SimulatedApi
  readonly note: Note
  readonly setups: readonly Setup[]
  /** Without faults, and with requests one at a time. */
  readonly isQuiet: boolean
}

/** One simulation run: its random steps, and the checks after each step. */
export class Run {
  readonly #parts: RunParts
  readonly #random: Random
  readonly #machine: Machine
  readonly #acknowledgements: Acknowledgements
  readonly #clients: Clients
  readonly #commands: Recorded = new Map()
  readonly #checker: Checker
  readonly #counts = { snapshots: 0, checks: 0 }
  readonly #tokens = new TokenApi()
  readonly #quiet: QuietRequests | undefined
  #stream: OpenStream | undefined
  #takeOvers = 0

  constructor(parts: RunParts) {
    const { random, seed, store, api, note } = parts
    const setup = random.pick(parts.setups)
    this.#parts = parts
    this.#random = random
    const settings = { ...plainSettings, seed, ...setup.settings }
    this.#machine = new Machine(random, store, settings, instant(setup.start))
    this.#acknowledgements = new Acknowledgements(note)
    this.#clients = new Clients(random, this.#acknowledgements, api)
    this.#checker = new Checker((at) => this.#machine.world.market.pricesAt(at as Instant))
    if (parts.isQuiet) this.#quiet = new QuietRequests(random, this.#clients.generator)
    recordInto(this.#commands)
  }

  async begin(): Promise<void> {
    await this.#machine.start()
    const { world } = this.#machine
    await seedData(world, this.#clients)
    await this.#quiet?.begin(world)
    await this.#follow()
  }

  /** Makes one step, waits for its effects, and checks. */
  async step(): Promise<string> {
    if (!(await this.#process.isUp())) await this.#restart()
    const name = pickStep(this.#random, this.#parts.isQuiet)
    await this.#steps[name]()
    await this.#settle()
    if (await this.#process.isUp()) await this.#check()
    else await this.#restart()
    return name
  }

  async end(): Promise<Record<string, number>> {
    const { store } = this.#parts
    store.clearFaults()
    store.release()
    this.#process.queryTables.release()
    await this.#settle()
    if (await this.#process.isUp()) await this.#machine.world.close()
    await this.#restart('kill')
    await this.#check()
    assert(await this.#process.areQueryTablesSettled())
    const { world } = this.#machine
    await this.#clients.assertFound(world)
    await assertBars(world, this.#checker.actions)
    recordInto(undefined)
    await assertSameAsReference(
      world,
      { commands: this.#commands, seed: this.#parts.seed },
      this.#acknowledgements.entries,
    )
    return {
      events: this.#acknowledgements.entries.length,
      fills: this.#checker.fills,
      actions: this.#checker.actions.length,
      ...this.#checker.tokenCounts,
      ...this.#acknowledgements.counts(),
      ...this.#clients.counts(),
      ...this.#quiet?.counts,
      ...this.#machine.counts,
      ...this.#counts,
      ...store.counts(),
      ...(store.isShared ? { takeOvers: this.#takeOvers } : {}),
    }
  }

  close(): void {
    recordInto(undefined)
    this.#machine.stop('kill')
    this.#parts.store.remove()
  }

  get #process(): Process {
    return this.#machine.process
  }

  readonly #steps: Readonly<Record<Step, () => void | Promise<void>>> = {
    send: () => this.#send(),
    read: () => this.#clients.read(this.#machine.world),
    connect: () => this.#clients.connect(this.#machine.world),
    advance: () => this.#advance(),
    holdStore: () => this.#parts.store.hold(),
    releaseStore: () => this.#parts.store.release(),
    fault: () => this.#parts.store.plan(),
    holdQueryTables: () => this.#process.queryTables.hold(),
    releaseQueryTables: () => this.#process.queryTables.release(),
    failQueryTables: () => this.#process.queryTables.fail(),
    snapshot: () => this.#snapshot(),
    corruptSnapshot: () => this.#parts.store.corruptSnapshot(),
    cut: () => this.#restart('cut'),
    kill: () => this.#restart('kill'),
    takeOver: () => (this.#parts.store.isShared ? this.#takeOver() : this.#send()),
  }

  #send(): void | Promise<void> {
    if (this.#quiet && this.#random.chance(0.8)) return this.#quiet.send(this.#machine.world)
    for (let left = this.#random.pick(this.#quiet ? [1] : [1, 1, 2, 5, 20]); left > 0; left--)
      this.#clients.sendNext(this.#machine.world)
  }

  async #advance(): Promise<void> {
    const { world } = this.#machine
    const { clock, access } = this.#process
    const duration = pickDuration(this.#random)
    this.#parts.store.release()
    const to = (world.engine.latest + duration) as Instant
    const moved = clock.advance(to).catch((error: unknown) => assert(isExpectedError(error), error as Error))
    await Promise.race([moved, access.ended])
  }

  /** Another engine takes over while this one works, and some clients still use the older engine. */
  async #takeOver(): Promise<void> {
    const { store } = this.#parts
    const random = this.#random
    store.release()
    const sendToOlder = (times: number) => {
      for (let left = times; left > 0; left--) if (older.isServing) this.#clients.sendToOlder(older.world)
    }
    const older = this.#process
    const taken = this.#machine.takeOver()
    sendToOlder(random.pick([0, 1, 5]))
    await tick(random.pick([0, 3, 20]))
    sendToOlder(random.pick([0, 1, 5]))
    await taken
    store.clearFaults()
    this.#acknowledgements.takenOver()
    await this.#follow()
    sendToOlder(random.pick([0, 1, 5]))
    if (await this.#process.isUp()) this.#send()
    await older.assertStops()
    if (older.access.isEnded()) this.#clients.connectionLost()
    this.#takeOvers += 1
  }

  /** A held store executes only some of the calls, so that requests queue up. */
  async #settle(): Promise<void> {
    const { store } = this.#parts
    if (store.isHeld) {
      store.release(this.#random.integer(0, 5))
      await tick(3)
      if (this.#random.chance(0.5)) return
      store.release()
    }
    await Promise.race([this.#clients.answered(), this.#process.access.ended])
    await this.#process.areQueryTablesSettled()
  }

  async #restart(mode?: 'cut' | 'kill'): Promise<void> {
    this.#process.assertNoOtherFailures()
    this.#machine.stop(mode ?? (this.#parts.store.isShared ? this.#random.pick(['cut', 'kill']) : 'cut'))
    this.#clients.connectionLost()
    this.#machine.passTime(pickDowntime(this.#random))
    await this.#machine.start()
    await this.#follow()
  }

  /** Checks the journal so far, and records all published events from now on. */
  async #follow(): Promise<void> {
    const { world } = this.#machine
    this.#parts.api.setWorld(world)
    this.#tokens.setWorld(world)
    this.#stream = new OpenStream(world, (seq, open) => this.#acknowledgements.show(seq, open))
    const known = this.#acknowledgements.entries.length
    const all = []
    for await (const entries of world.storage.journal.read(0)) all.push(...entries)
    this.#acknowledgements.restarted(all)
    this.#take(known)
  }

  async #check(): Promise<void> {
    const { store } = this.#parts
    const { world } = this.#machine
    const { queryTables, access } = this.#process
    this.#process.assertNoOtherFailures()
    const { isHeld } = store
    if (isHeld && store.holdsReads) return
    if (!isHeld) {
      const quiet = world.commands.quiet().then(() => true, assertExpected)
      if (!(await Promise.race([quiet, access.ended]))) return
    }
    if (!this.#process.isServing) return
    if (!(await this.#readAll(world.storage.journal, access.ended))) return
    this.#acknowledgements.assertConsistent()
    if (isHeld || !(await this.#process.isUp())) return
    this.#stream?.assertSent(this.#acknowledgements.entries.length)
    this.#checker.assertState(world.view)
    this.#tokens.assertConsistent(this.#checker.grants, this.#clients)
    const stored = this.#acknowledgements.entries.map(({ open }) => open)
    assert.equal(
      world.storage.journal.head().hash,
      expectedHash(stored, SEGMENT_EVENTS),
      'the hash of all events',
    )
    if (queryTables.isHeld || !(await this.#process.areQueryTablesSettled())) return
    // If the store fails while the query tables are read, the next check reads again.
    const isChecked = await this.#clients.assertFound(world).then(() => true, assertExpected)
    if (isChecked) this.#counts.checks += 1
  }

  /** Reads the journal to its end. Returns false if the store, the world or the process fails. */
  async #readAll(journal: Journal, ended: Promise<void>): Promise<boolean> {
    for (;;) {
      const known = this.#acknowledgements.entries.length
      const newEntries = await Promise.race([readNewEntries(journal, known), ended])
      // The checker needs the prices of the world. If the world failed, the entries are read again later.
      if (!newEntries || !this.#process.isServing) return false
      this.#acknowledgements.append(newEntries)
      this.#take(known)
      try {
        if (this.#acknowledgements.entries.length >= journal.head().seq) return true
      } catch (error) {
        return assertExpected(error)
      }
    }
  }

  #take(known: number): void {
    for (const [index, line] of this.#acknowledgements.entries.slice(known).entries())
      this.#checker.take({ seq: known + index + 1, event: eventOf(line) })
  }

  async #snapshot(): Promise<void> {
    this.#parts.store.release()
    const taken = takeSnapshot(this.#machine.world, this.#parts.store).then(
      () => void (this.#counts.snapshots += 1),
      (error: unknown) => assert(isExpectedError(error), error as Error),
    )
    await Promise.race([taken, this.#process.access.ended])
  }
}
