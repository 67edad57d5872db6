import assert from 'node:assert/strict'
import type { Instant } from '@quipu/core'
import type { Journal } from '../../server/src/journal/journal.ts'
import { eventOf } from '../../server/src/journal/stored-event.ts'
import { instant, plainSettings } from '../../server/src/world/testing/world.ts'
import type { Random } from '../random.ts'
import { assertBars } from './checker/bars.ts'
import { Checker } from './checker/checker.ts'
import { Promises } from './checker/promises.ts'
import { type Recorded, recordInto } from './checker/recorder.ts'
import { assertAsReference, ownHash, SEGMENT_EVENTS } from './checker/reference.ts'
import { isOnlyTrouble, isTrouble } from './faults/injected-error.ts'
import { Machine, readOn } from './faults/machine.ts'
import type { Process } from './faults/process.ts'
import { takeSnapshot } from './faults/snapshot.ts'
import type { Note, Store } from './faults/store.ts'
import { breath } from './faults/tick.ts'
import { scenes } from './simulation.ts'
import type { Door } from './workload/api.ts'
import { Clients } from './workload/clients.ts'
import { OpenStream } from './workload/open-stream.ts'
import { seedData } from './workload/seed-data.ts'
import { pickStep, type Step } from './workload/steps.ts'
import { TokenDoor } from './workload/token-api.ts'

const SECOND = 1_000_000_000n
const DAY_S = 86_400

export type RunParts = {
  readonly random: Random
  readonly seed: string
  readonly store: Store
  readonly door: Door
  readonly note: Note
}

/** One life: what happens in it, and what is checked after each step. */
export class Run {
  readonly #parts: RunParts
  readonly #random: Random
  readonly #machine: Machine
  readonly #promises: Promises
  readonly #clients: Clients
  readonly #commands: Recorded = new Map()
  readonly #checker: Checker
  readonly #counts = { snapshots: 0, checks: 0 }
  readonly #tokens = new TokenDoor()
  #stream: OpenStream | undefined
  #takeOvers = 0

  constructor(parts: RunParts) {
    const { random, seed, store, door, note } = parts
    const scene = random.pick(scenes)
    this.#parts = parts
    this.#random = random
    const settings = { ...plainSettings, seed, ...scene.settings }
    this.#machine = new Machine(random, store, settings, instant(scene.start))
    this.#promises = new Promises(note)
    this.#clients = new Clients(random, this.#promises, door)
    this.#checker = new Checker((at) => this.#machine.world.market.pricesAt(at as Instant))
    recordInto(this.#commands)
  }

  async begin(): Promise<void> {
    await this.#machine.start()
    const { world } = this.#machine
    await seedData(world, this.#clients)
    this.#promises.restarted(await this.#follow())
    this.#take(0)
  }

  /** Does one thing, waits for what can be waited for, and checks. */
  async step(): Promise<string> {
    if (!(await this.#process.isUp())) await this.#restart()
    const name = pickStep(this.#random)
    await this.#steps[name]()
    await this.#settle()
    if (await this.#process.isUp()) await this.#check()
    else await this.#restart()
    return name
  }

  async end(): Promise<Record<string, number>> {
    const { store } = this.#parts
    store.calm()
    store.letGo()
    this.#process.views.letGo()
    await this.#settle()
    if (await this.#process.isUp()) await this.#machine.world.close()
    await this.#restart('kill')
    await this.#check()
    assert(await this.#process.areViewsSettled())
    const { world } = this.#machine
    await this.#clients.assertFound(world)
    await assertBars(world, this.#checker.actions)
    recordInto(undefined)
    await assertAsReference(world, { commands: this.#commands, seed: this.#parts.seed }, this.#promises.lines)
    return {
      events: this.#promises.lines.length,
      fills: this.#checker.fills,
      actions: this.#checker.actions.length,
      ...this.#happened(),
      ...this.#promises.counts(),
      ...this.#clients.counts(),
      ...this.#machine.counts,
      ...this.#counts,
      ...store.counts(),
      ...(store.isShared ? { takeOvers: this.#takeOvers } : {}),
    }
  }

  /** Of tokens, what every run should see. */
  #happened(): Record<string, number> {
    const { happened } = this.#checker
    const kinds = ['mintCompleted', 'mintRejected', 'redeemCompleted']
    return Object.fromEntries(kinds.map((kind) => [kind, happened.get(kind) ?? 0]))
  }

  leave(): void {
    recordInto(undefined)
    this.#machine.stop('kill')
    this.#parts.store.remove()
  }

  get #process(): Process {
    return this.#machine.process
  }

  readonly #steps: Readonly<Record<Step, () => void | Promise<void>>> = {
    ask: () => this.#ask(),
    look: () => this.#clients.look(this.#machine.world),
    connect: () => this.#clients.connect(this.#machine.world),
    advance: () => this.#advance(),
    holdStore: () => this.#parts.store.hold(),
    letStoreGo: () => this.#parts.store.letGo(),
    trouble: () => this.#parts.store.plan(),
    holdViews: () => this.#process.views.hold(),
    letViewsGo: () => this.#process.views.letGo(),
    failViews: () => this.#process.views.fail(),
    snapshot: () => this.#snapshot(),
    spoilSnapshot: () => this.#parts.store.spoilSnapshot(),
    cut: () => this.#restart('cut'),
    kill: () => this.#restart('kill'),
    takeOver: () => (this.#parts.store.isShared ? this.#takeOver() : this.#ask()),
  }

  #ask(): void {
    for (let left = this.#random.pick([1, 1, 2, 5, 20]); left > 0; left--)
      this.#clients.ask(this.#machine.world)
  }

  async #advance(): Promise<void> {
    const { world } = this.#machine
    const { clock, access } = this.#process
    const random = this.#random
    const seconds = random.pick([
      random.integer(1, 60),
      random.integer(60, 3_600),
      random.integer(3_600, DAY_S),
      random.integer(DAY_S, 4 * DAY_S),
      random.chance(0.05) ? 370 * DAY_S : 1,
    ])
    this.#parts.store.letGo()
    const to = (world.latest + BigInt(seconds) * SECOND) as Instant
    const moved = clock.advance(to).catch((error: unknown) => assert(isTrouble(error), error as Error))
    await Promise.race([moved, access.dead])
  }

  /** Another engine comes while this one is at work, and some clients have not heard of it yet. */
  async #takeOver(): Promise<void> {
    const { store } = this.#parts
    const random = this.#random
    store.letGo()
    const askOlder = (times: number) => {
      for (let left = times; left > 0; left--) if (older.isServing) this.#clients.askOlder(older.world)
    }
    const older = this.#process
    const taken = this.#machine.takeOver()
    askOlder(random.pick([0, 1, 5]))
    await breath(random.pick([0, 3, 20]))
    askOlder(random.pick([0, 1, 5]))
    await taken
    store.calm()
    const known = this.#promises.lines.length
    this.#promises.takenOver()
    this.#promises.restarted(await this.#follow())
    this.#take(known)
    askOlder(random.pick([0, 1, 5]))
    if (await this.#process.isUp()) this.#ask()
    await older.assertStops()
    if (older.access.isDead()) this.#loseTouch()
    this.#takeOvers += 1
  }

  /** On a store that is held only some of the calls are carried out, so that questions pile up. */
  async #settle(): Promise<void> {
    const { store } = this.#parts
    if (store.isHeld) {
      store.letGo(this.#random.integer(0, 5))
      await breath(3)
      if (this.#random.chance(0.5)) return
      store.letGo()
    }
    await Promise.race([this.#clients.answered(), this.#process.access.dead])
    await this.#process.areViewsSettled()
  }

  async #restart(how?: 'cut' | 'kill'): Promise<void> {
    this.#process.assertNoOtherFailures()
    this.#machine.stop(how ?? (this.#parts.store.isShared ? this.#random.pick(['cut', 'kill']) : 'cut'))
    this.#loseTouch()
    this.#machine.passTime(BigInt(this.#random.pick([0, 0, -5, 30, 7_200, 3 * DAY_S])) * SECOND)
    await this.#machine.start()
    const known = this.#promises.lines.length
    this.#promises.restarted(await this.#follow())
    this.#take(known)
  }

  /** Whoever still waits is told nothing any more. */
  #loseTouch(): void {
    this.#clients.lostTouch()
    this.#promises.lostTouch()
  }

  /** From now on whatever is told is noted. Gives all that is there. */
  async #follow() {
    const { world } = this.#machine
    this.#parts.door.lead(world)
    this.#tokens.lead(world)
    this.#stream = new OpenStream(world, (seq, open) => this.#promises.show(seq, open))
    const all = []
    for await (const entries of world.journal.read(0)) all.push(...entries)
    return all
  }

  async #check(): Promise<void> {
    const { store } = this.#parts
    const { world } = this.#machine
    const { views, access } = this.#process
    this.#process.assertNoOtherFailures()
    const { isHeld } = store
    if (isHeld && store.holdsReads) return
    if (!isHeld) {
      const quiet = world.quiet().then(() => true, isOnlyTrouble)
      if (!(await Promise.race([quiet, access.dead]))) return
    }
    if (!this.#process.isServing) return
    if (!(await this.#readAll(world.journal, access.dead))) return
    this.#promises.assertKept()
    if (isHeld || !(await this.#process.isUp())) return
    this.#stream?.assertSent(this.#promises.lines.length)
    this.#checker.assertState(world.view)
    this.#tokens.assertKept(this.#checker.grants, this.#clients)
    const lines = this.#promises.lines.map(({ open }) => open)
    assert.equal(world.journal.head().hash, ownHash(lines, SEGMENT_EVENTS), 'the hash is over all events')
    if (views.isHeld || !(await this.#process.areViewsSettled())) return
    // While a view is asked the store may fail, and with it the world: that is no answer, and the next check asks again.
    const isChecked = await this.#clients.assertFound(world).then(() => true, isOnlyTrouble)
    if (isChecked) this.#counts.checks += 1
  }

  /** Up to the end, also of what clients were answered meanwhile. False where the store, the world or the process gave up. */
  async #readAll(journal: Journal, dead: Promise<void>): Promise<boolean> {
    for (;;) {
      const known = this.#promises.lines.length
      const grown = await Promise.race([readOn(journal, known), dead])
      // What was read is checked against the prices of the world. If the world failed meanwhile, it is read again.
      if (!grown || !this.#process.isServing) return false
      this.#promises.grown(grown)
      this.#take(known)
      try {
        if (this.#promises.lines.length >= journal.head().seq) return true
      } catch (error) {
        return isOnlyTrouble(error)
      }
    }
  }

  #take(known: number): void {
    for (const [index, line] of this.#promises.lines.slice(known).entries())
      this.#checker.take({ seq: known + index + 1, event: eventOf(line) })
  }

  async #snapshot(): Promise<void> {
    this.#parts.store.letGo()
    const taken = takeSnapshot(this.#machine.world, this.#parts.store).then(
      () => void (this.#counts.snapshots += 1),
      (error: unknown) => assert(isTrouble(error), error as Error),
    )
    await Promise.race([taken, this.#process.access.dead])
  }
}
