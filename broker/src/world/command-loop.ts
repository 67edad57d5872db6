import type { Command, Decision, Instant, JobId, View } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import { slices } from '../clock/slices.ts'
import type { Cause } from '../journal/cause.ts'
import type { MarketSource } from '../market/market-source.ts'
import { Driver } from './driver/driver.ts'
import type { Engine } from './engine.ts'
import type { Once } from './once.ts'
import type { DurableResponse } from './submitted.ts'

/** Number of steps (a few milliseconds) before other worlds get a turn. */
const BATCH_STEPS = 64

export type CommandLoopParts = {
  readonly engine: Engine
  readonly clock: WorldClock
  readonly market: MarketSource
  readonly runJob: (jobId: JobId) => Promise<void>
  readonly failed: (error: unknown) => void
}

/**
 * Runs the commands of a world one after the other: the engine decides a command, the driver notes what its events
 * changed, then the loop runs everything that is due now. Nothing that runs here starts the loop again.
 */
export class CommandLoop {
  readonly #parts: CommandLoopParts
  readonly #driver: Driver
  readonly #pending = new Set<Promise<void>>()
  #continuing: Promise<void> | undefined
  #alarm: { readonly due: Instant; readonly cancel: () => void } | undefined
  #stopped = false

  constructor(parts: CommandLoopParts) {
    this.#parts = parts
    this.#driver = new Driver({
      ...parts,
      decide: (command) => this.#decide(command),
      runDue: () => this.#runDue(),
      track: (work) => this.#track(work),
    })
  }

  /** Takes over a world in any state: runs overdue commands first, then plans for every waiting order. */
  start(): void {
    this.#driver.markAll()
    this.#runDue()
  }

  /** Decides the command of a request, then runs what is due. See the engine. */
  submit<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause?: Cause,
    once?: Once<Value>,
  ): Promise<DurableResponse<Value>> {
    const { events, response } = this.#parts.engine.submit(command, look, cause, once)
    if (events.length > 0) {
      this.#driver.note(events)
      this.#runDue()
    }
    return response
  }

  /** Decides a command that no client waits for, then runs what is due. The queue limit does not apply. */
  submitInternal(command: Command): Decision {
    const decision = this.#decide(command)
    if (decision.ok && decision.value.length > 0) this.#runDue()
    return decision
  }

  /** More commands are due than one batch runs. */
  get isBehind(): boolean {
    return this.#continuing !== undefined
  }

  /** Resolves when no overdue command is left. */
  async caughtUp(): Promise<void> {
    while (this.#continuing) await this.#continuing
  }

  /** Resolves when no job runs and no market search is pending. */
  async quiet(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  stop(): void {
    this.#stopped = true
    this.#alarm?.cancel()
    this.#driver.stop()
  }

  /** Decides a command and notes what it changed. */
  #decide(command: Command): Decision {
    const decision = this.#parts.engine.decide(command)
    if (decision.ok) this.#driver.note(decision.value)
    return decision
  }

  /**
   * Runs the commands of the agenda that are due, plans the symbols whose orders changed, and repeats both until
   * nothing changes. When much is due, such as the day orders of a whole market, other worlds get turns in between.
   */
  #runDue(): void {
    if (this.#stopped || this.#continuing) return
    const { engine, failed } = this.#parts
    let stepsLeft = BATCH_STEPS
    try {
      let seq: number
      do {
        for (let due = this.#driver.nextDue(); due && stepsLeft > 0; due = this.#driver.nextDue()) {
          stepsLeft -= 1
          this.#run(due)
        }
        seq = engine.view.seq
        for (const symbol of this.#driver.dirty) {
          if (stepsLeft === 0) break
          stepsLeft -= 1
          this.#driver.plan(symbol)
        }
      } while (stepsLeft > 0 && engine.view.seq > seq)
    } catch (error) {
      // The command before was decided; a failure here must not change its response.
      failed(error)
    }
    if (stepsLeft > 0) this.#setAlarm()
    else this.#continueLater()
  }

  #run(due: Command): void {
    const { engine } = this.#parts
    const { seq } = engine.view
    this.#decide(due)
    if (engine.view.seq === seq) throw new Error(`bug: ${due.kind} came due and changed nothing`)
    if (due.kind === 'runJob') this.#startJob(due.jobId)
  }

  #continueLater(): void {
    const rest = slices.wait(this).then(() => {
      this.#continuing = undefined
      this.#runDue()
      this.#pending.delete(rest)
    })
    this.#continuing = rest
    this.#pending.add(rest)
  }

  /** The attempt is stored before the job runs. */
  #startJob(jobId: JobId): void {
    const { engine, runJob, failed } = this.#parts
    const running = engine.untilDurable(engine.view.seq).then(
      () => runJob(jobId).catch(failed),
      // The engine has reported its failure. The attempt is not stored, so the next incarnation starts the job.
      () => undefined,
    )
    this.#track(running)
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#pending.delete(tracked))
    this.#pending.add(tracked)
  }

  #setAlarm(): void {
    const { engine, clock } = this.#parts
    const { now } = engine
    const { dues } = engine.view.agenda
    const due = dues[0] !== undefined && dues[0] > now ? dues[0] : dues.find((at) => at > now)
    if (due === this.#alarm?.due) return
    this.#alarm?.cancel()
    this.#alarm = undefined
    if (due === undefined || this.#stopped) return
    const cancel = clock.timer(due, 'agenda', () => {
      this.#alarm = undefined
      this.#runDue()
    })
    this.#alarm = { due, cancel }
  }
}
