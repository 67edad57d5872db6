import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, emptyState, encode, forget, type Instant, type State } from '@quipu/core'
import { openAccount } from '../../server/src/furnish.ts'
import { setUpIssuers } from '../../server/src/issuer/set-up.ts'
import { entryOf, eventOf } from '../../server/src/stored-event.ts'
import { decided, instant, plainSettings } from '../../server/src/testing.ts'
import { Projection } from '../../server/src/views/projection.ts'
import { writeSnapshot } from '../../server/src/views/snapshot.ts'
import { Dice } from '../dice.ts'
import { breath } from './breath.ts'
import { Checker } from './checker.ts'
import { Clients } from './clients.ts'
import { scenes } from './live.ts'
import { isOnlyTrouble, isTrouble, Machine, readOn, SEGMENT_EVENTS } from './machine.ts'
import { Promises } from './promises.ts'
import { type Recorded, recordInto } from './recorder.ts'
import { ownHash, referenceRun } from './reference.ts'

export type Counts = Record<string, number>

/**
 * One life of a whole world on a machine with a bad disk, by a seed. Throws with seed and step where a promise is
 * broken.
 */
export async function simulate(seed: string, steps: number, trace?: (line: string) => void): Promise<Counts> {
  const run = new Run(seed)
  let step = 0
  // A command that waits for the views keeps no process alive.
  const alive = setInterval(() => undefined, 1_000)
  try {
    await run.begin()
    for (step = 1; step <= steps; step++) {
      const taken = await run.step()
      trace?.(`${step} ${taken}`)
    }
    return await run.end()
  } catch (error) {
    throw new Error(
      `SEED=${seed} STEP=${step} npm test -- whole-world: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    )
  } finally {
    clearInterval(alive)
    run.leave()
  }
}

const SECOND = 1_000_000_000n
const DAY_S = 86_400

class Run {
  readonly #dice: Dice
  readonly #seed: string
  readonly #machine: Machine
  readonly #promises = new Promises()
  readonly #clients: Clients
  readonly #commands: Recorded = new Map()
  readonly #checker: Checker
  readonly #counts = { snapshots: 0, checks: 0 }

  constructor(seed: string) {
    const dice = new Dice(seed)
    const scene = dice.pick(scenes)
    this.#dice = dice
    this.#seed = seed
    this.#machine = new Machine(dice, { ...plainSettings, seed, ...scene.settings }, instant(scene.start))
    this.#clients = new Clients(dice, this.#promises)
    this.#checker = new Checker((at) => this.#machine.world.market.pricesAt(at as Instant))
    recordInto(this.#commands)
  }

  async begin(): Promise<void> {
    await this.#machine.start()
    const { world } = this.#machine
    const { wishes } = this.#clients
    const added = await decided(world, { kind: 'addPartner', name: 'Partner' })
    const [event] = added.ok ? added.value : []
    assert(event?.kind === 'partnerAdded')
    const { partnerId } = event
    wishes.partnerId = partnerId
    for (const cash of [1_500_000_000_000n, 100_000_000_000_000n]) {
      const { id } = await openAccount(world, { flavour: 'paper', partnerId, cash: cash as never })
      wishes.accounts.push(id)
    }
    await setUpIssuers(world, { partnerId, link: wishes.accounts })
    this.#clients.send(world, wishes.app())
    await this.#clients.answered()
    await this.#started()
  }

  /** Does one thing, waits for what can be waited for, and checks. */
  async step(): Promise<string> {
    if (!(await this.#machine.isUp())) await this.#restart('cut')
    const name = this.#pick()
    await this.#steps[name]!()
    await this.#settle()
    if (await this.#machine.isUp()) await this.#check()
    else await this.#restart('cut')
    return name
  }

  async end(): Promise<Counts> {
    const machine = this.#machine
    machine.disk.calm()
    machine.disk.letGo()
    machine.views.letGo()
    await this.#settle()
    if (await machine.isUp()) await machine.world.close()
    await this.#restart('kill')
    await this.#check()
    assert(await machine.areViewsSettled())
    await this.#clients.assertFound(machine.world)
    await this.#assertAsReference()
    const counts = { events: this.#promises.lines.length, fills: this.#checker.fills }
    return { ...counts, ...this.#promises.counts(), ...machine.counts, ...this.#counts }
  }

  leave(): void {
    recordInto(undefined)
    this.#machine.stop('kill')
    this.#machine.disk.remove()
  }

  #pick(): string {
    const luck = this.#dice.next()
    let sum = 0
    for (const [name, share] of Object.entries(SHARES)) if (luck < (sum += share)) return name
    return 'ask'
  }

  readonly #steps: Readonly<Record<string, () => void | Promise<void>>> = {
    ask: () => {
      for (let left = this.#dice.pick([1, 1, 2, 5, 20]); left > 0; left--)
        this.#clients.ask(this.#machine.world)
    },
    look: () => this.#clients.look(this.#machine.world),
    advance: () => this.#advance(),
    holdDisk: () => this.#machine.disk.hold(),
    letDiskGo: () => this.#machine.disk.letGo(),
    trouble: () => this.#plan(),
    holdViews: () => this.#machine.views.hold(),
    letViewsGo: () => this.#machine.views.letGo(),
    failViews: () => this.#machine.views.fail(),
    snapshot: () => this.#snapshot(),
    spoilSnapshot: () => this.#spoilSnapshot(),
    cut: () => this.#restart('cut'),
    kill: () => this.#restart('kill'),
  }

  #plan(): void {
    const dice = this.#dice
    this.#machine.disk.plan(dice.whole(1, 12), dice.pick(['cut', 'cut', 'error', 'short', 'short'] as const))
  }

  async #advance(): Promise<void> {
    const { world, clock, disk } = this.#machine
    const dice = this.#dice
    const seconds = dice.pick([
      dice.whole(1, 60),
      dice.whole(60, 3_600),
      dice.whole(3_600, DAY_S),
      dice.whole(DAY_S, 4 * DAY_S),
      dice.isLucky(0.05) ? 370 * DAY_S : 1,
    ])
    disk.letGo()
    const to = (world.latest + BigInt(seconds) * SECOND) as Instant
    const moved = clock.advance(to).catch((error: unknown) => assert(isTrouble(error), error as Error))
    await Promise.race([moved, disk.dead])
  }

  /** On a disk that is held only some of the calls are carried out, so that questions pile up. */
  async #settle(): Promise<void> {
    const { disk } = this.#machine
    if (disk.isHeld) {
      disk.letGo(this.#dice.whole(0, 5))
      await breath(3)
      if (this.#dice.isLucky(0.5)) return
      disk.letGo()
    }
    await Promise.race([this.#clients.answered(), disk.dead])
    await this.#machine.areViewsSettled()
  }

  async #restart(how: 'cut' | 'kill'): Promise<void> {
    const machine = this.#machine
    machine.assertNoOtherFailures()
    machine.stop(how)
    this.#clients.lostTouch()
    this.#promises.lostTouch()
    machine.passTime(BigInt(this.#dice.pick([0, 0, -5, 30, 7_200, 3 * DAY_S])) * SECOND)
    await machine.start()
    await this.#started()
  }

  /** All that was there is there; from now on whatever is told is noted. */
  async #started(): Promise<void> {
    const { world } = this.#machine
    world.listen((events) => {
      for (const { seq, event } of events) this.#promises.show(seq, entryOf(event).open)
    })
    const all = []
    for await (const entries of world.journal.read(0)) all.push(...entries)
    const known = this.#promises.lines.length
    this.#promises.restarted(all)
    this.#take(known)
  }

  async #check(): Promise<void> {
    const { disk, world, views } = this.#machine
    this.#machine.assertNoOtherFailures()
    const { isHeld } = disk
    if (!isHeld) {
      const quiet = world.quiet().then(() => true, isOnlyTrouble)
      if (!(await Promise.race([quiet, disk.dead]))) return
    }
    const known = this.#promises.lines.length
    const grown = await readOn(world.journal, known)
    if (!grown) return
    this.#promises.grown(grown)
    this.#take(known)
    this.#promises.assertKept()
    if (isHeld || !(await this.#machine.isUp())) return
    this.#checker.assertState(world.view)
    const { hash } = world.journal.head()
    assert.equal(hash, ownHash(this.#lines, SEGMENT_EVENTS), 'the hash is over all events')
    if (views.isHeld || !(await this.#machine.areViewsSettled())) return
    await this.#clients.assertFound(world)
    this.#counts.checks += 1
  }

  get #lines(): readonly string[] {
    return this.#promises.lines.map(({ open }) => open)
  }

  #take(known: number): void {
    for (const [index, line] of this.#promises.lines.slice(known).entries())
      this.#checker.take({ seq: known + index + 1, event: eventOf(line) })
  }

  async #snapshot(): Promise<void> {
    const { world, disk } = this.#machine
    const projection = new Projection()
    const { seq, hash } = world.journal.head()
    for await (const entries of world.journal.read(0)) projection.take(entries)
    assert.equal(projection.state.seq, seq)
    await writeSnapshot(disk.aside, projection.state, { hash, keep: 2 })
    this.#counts.snapshots += 1
  }

  #spoilSnapshot(): void {
    const { aside } = this.#machine.disk
    const name = this.#dice.pick(readdirSync(aside))
    if (!name) return
    const bytes = readFileSync(join(aside, name))
    const at = this.#dice.whole(0, bytes.length - 1)
    bytes[at] = bytes[at]! ^ (1 << this.#dice.whole(0, 7))
    writeFileSync(join(aside, name), bytes)
  }

  async #assertAsReference(): Promise<void> {
    const { world } = this.#machine
    recordInto(undefined)
    const events = this.#promises.lines.map((line) => eventOf(line))
    const of = { commands: this.#commands, seed: this.#seed, market: world.market }
    const { lines, state } = await referenceRun(of, events)
    assert.deepEqual(lines, this.#lines, 'a run that was never interrupted writes the same')
    assert.equal(world.journal.head().hash, ownHash(lines, SEGMENT_EVENTS))
    assert.equal(encode(essence(world.view as State)), encode(essence(state)), 'and ends in the same state')
  }
}

/** How often each thing happens; asking takes the rest. */
const SHARES: Readonly<Record<string, number>> = {
  look: 0.08,
  advance: 0.14,
  holdDisk: 0.06,
  letDiskGo: 0.02,
  trouble: 0.14,
  holdViews: 0.04,
  letViewsGo: 0.05,
  failViews: 0.01,
  snapshot: 0.03,
  spoilSnapshot: 0.01,
  cut: 0.03,
  kill: 0.02,
}

/** A state without ended work: how much of that is remembered is a matter of timing. */
function essence(view: State): State {
  const state = decode(encode(view)) as State
  forget(state, state.seq)
  return { ...emptyState(), ...state }
}
