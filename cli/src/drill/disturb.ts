import { type Client, type ClientOptions, createClient } from '@quipu/sdk'
import { ProgramRestart } from '../run/child.ts'
import type { GatewayKeyPair } from '../run/gateway/keys.ts'
import { newYorkDateText } from '../run/new-york-date-text.ts'
import type { Disturbance } from './catalogue.table.ts'
import type { Evidence } from './evidence.ts'

const WEEK_MS = 7 * 86_400_000

/** The world and the account that a drill disturbs. */
export type DisturbedWorld = {
  readonly operator: Client
  readonly world: string
  readonly endpoint: Pick<ClientOptions, 'url' | 'fetch'>
  readonly account: GatewayKeyPair
}

/** Disturbs the program of a drill once: before it starts, or when its first order was answered. */
export class Disturber {
  readonly restart = new ProgramRestart()
  readonly #disturbance: Disturbance | undefined
  readonly #target: DisturbedWorld
  readonly #trader: Client
  #splitOn = ''
  /** Absent: nothing disturbs it but faults. */
  isDone: boolean | undefined
  /** Why it could not be disturbed. */
  problem: unknown

  constructor(target: DisturbedWorld, disturbance: Disturbance | undefined) {
    this.#target = target
    this.#trader = createClient({ ...target.endpoint, ...target.account })
    this.#disturbance = disturbance
    this.isDone = disturbance && false
  }

  /** How far the clock of the program is wrong. */
  get clockOffsetMs(): number | undefined {
    return this.#disturbance?.kind === 'clock' ? this.#disturbance.offsetMs : undefined
  }

  /** Before the program starts. */
  async prepare({ orders }: Pick<Evidence, 'orders'>): Promise<void> {
    const { operator, world } = this.#target
    if (this.#disturbance?.kind === 'clock') this.isDone = true
    const [first] = orders
    if (this.#disturbance?.kind !== 'split' || !first || first.symbol.includes('/')) return
    // A split takes effect at midnight in New York.
    const day = newYorkDateText(first.at)
    const query = { start: day, end: new Date(Date.parse(day) + WEEK_MS).toISOString().slice(0, 10) }
    const next = (await this.#trader.getCalendar({ query })).find(({ date }) => date > day)
    if (!next) return
    const split = {
      type: 'forward_split',
      symbol: first.symbol,
      ex_date: next.date,
      new_rate: 2,
      old_rate: 1,
    } as const
    await operator.createCorporateAction({ params: { world }, body: split })
    this.#splitOn = next.date
  }

  /** A split that comes after the end of the replay disturbs nothing. */
  end(now: string): void {
    if (this.#splitOn !== '') this.isDone = newYorkDateText(now) >= this.#splitOn
  }

  /** A placement has ended. */
  placed(): void {
    if (this.isDone === false && this.#disturbance && this.#disturb(this.#disturbance)) this.isDone = true
  }

  /** False for what was done before the start. */
  #disturb(disturbance: Disturbance): boolean {
    const { operator, world } = this.#target
    switch (disturbance.kind) {
      case 'kill':
        this.restart.kill()
        return true
      case 'sleep':
        this.#do(operator.advanceClock({ params: { world }, body: { by: disturbance.by } }))
        return true
      case 'block':
        this.#do(this.#trader.patchAccountConfigurations({ body: { suspend_trade: true } }))
        return true
      case 'clock':
      case 'split':
        return false
    }
  }

  #do(change: Promise<unknown>): void {
    change.catch((error: unknown) => {
      this.problem ??= error
    })
  }
}
