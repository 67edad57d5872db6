import {
  apply,
  type BrokerEvent,
  type Command,
  classOf,
  type Decision,
  decide,
  EPOCH,
  earlier,
  entryIn,
  type Instant,
  isImmediate,
  later,
  type Moment,
  max,
  nextDue,
  type Order,
  type PlaceOrder,
  type Refusal,
  type State,
  scratchState,
  settingsOf,
  tradesAt,
  type View,
} from '@quipu/core'
import type { MarketPrices } from '../market/market-source.ts'
import { idMaker } from './moment.ts'

/** An order that was decided and thrown away: its refusal, or its events and the state after them. */
export type Preview = { readonly at: Instant } & (
  | { readonly refusal: Refusal }
  | {
      readonly refusal?: undefined
      readonly events: readonly BrokerEvent[]
      /** The order after its events. */
      readonly order: Order
      readonly after: View
    }
)

export type PreviewedWorld = {
  readonly view: View
  readonly engine: { readonly now: Instant }
  readonly market: MarketPrices
}

/**
 * Decides an order on a scratch state, with the steps that follow at once: it reaches the market, and the quote of now
 * may fill it. An order with latency meets the quote of now too, because a later quote is not known yet.
 */
export function previewOrder(world: PreviewedWorld, command: PlaceOrder): Preview {
  const trial = new Trial(world)
  const { now: at } = world.engine
  const placed = trial.run(command, at)
  if (!placed.ok) return { at, refusal: placed.reason }
  const { id, dueAt } = trial.events.find((event) => event.kind === 'orderAccepted')!.order
  if (reachesMarket(trial.state, entryIn(trial.state.orders, id), at)) trial.settle(command, dueAt)
  return { at, events: trial.events, order: entryIn(trial.state.orders, id), after: trial.state }
}

/** Whether the order leaves now. A queued order waits for its session, an immediate one for its trading hours. */
const reachesMarket = (view: View, order: Order, at: Instant): boolean =>
  order.status !== 'accepted' && (!isImmediate(order) || tradesAt(settingsOf(view), classOf(order), at))

/** Decides and applies commands on a scratch state. */
class Trial {
  readonly state: State
  readonly events: BrokerEvent[] = []
  readonly #world: PreviewedWorld
  readonly #parts: Pick<Moment, 'asset' | 'id'>

  constructor(world: PreviewedWorld) {
    const { view, market } = world
    this.#world = world
    this.state = scratchState(view)
    this.#parts = { asset: (symbol) => market.assets().get(symbol), id: idMaker(settingsOf(view).seed) }
  }

  /** Decides a command at an instant, or just after the last event. `lead` is the part of it that lies in the future. */
  run(command: Command, from: Instant, lead = 0n): Decision {
    const at = max(from, later(this.state.lastAt, 1n))
    const prices = this.#world.market.pricesAt(earlier(at, lead))
    const decision = decide(this.state, { ...this.#parts, at, prices }, command)
    if (!decision.ok) return decision
    for (const event of decision.value) {
      apply(this.state, event)
      this.events.push(event)
    }
    return decision
  }

  /** Runs the steps that are due when the order reaches the market, and the quote, until nothing changes. */
  settle({ symbol }: PlaceOrder, arrival: Instant): void {
    const lead = max(earlier(arrival, this.#world.engine.now), EPOCH)
    for (let count = -1; this.events.length > count; ) {
      count = this.events.length
      const due = nextDue(this.state.agenda)
      const isDue = due !== undefined && due.due <= arrival
      this.run(isDue ? due.item : { kind: 'observeQuote', symbol }, arrival, lead)
    }
  }
}
