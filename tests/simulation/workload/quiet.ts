import assert from 'node:assert/strict'
import {
  type AccountId,
  type BrokerEvent,
  type ClientOrderId,
  type Decision,
  type Money,
  type OrderId,
  type PlaceOrder,
  settingsOf,
  type Ticker,
} from '@quipu/core'
import { openAccount } from '../../../broker/src/access/issue-keys.ts'
import { type Preview, previewOrder } from '../../../broker/src/world/preview.ts'
import { decided } from '../../../broker/src/world/testing/world.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { Random } from '../../support/random.ts'
import { randomOrder } from './orders.ts'
import type { RequestGenerator } from './requests.ts'

/** The checks after a step cost more than a request. */
const AT_A_STEP = 4
const NANO = 1_000_000_000n
const COIN = 'ETH/USD' as Ticker
const SYMBOLS = [...['AAPL', 'KO', 'F', 'TSLA'].map((symbol) => symbol as Ticker), COIN]

/** Requests of a run without faults: one at a time, so that each can be compared with the world before it. */
export class QuietRequests {
  readonly counts = { accepted: 0, refused: 0 }
  readonly #random: Random
  readonly #generator: RequestGenerator
  readonly #placed: { readonly accountId: AccountId; readonly clientOrderId: ClientOrderId }[] = []

  constructor(random: Random, generator: RequestGenerator) {
    this.#random = random
    this.#generator = generator
  }

  /** Opens a live account that can buy more than the market displays. */
  async begin(world: World): Promise<void> {
    const { partnerId, accounts } = this.#generator
    const cash = (9_000_000n * NANO) as Money
    accounts.push((await openAccount(world, { flavour: 'live', partnerId, cash })).id)
  }

  async send(world: World): Promise<void> {
    for (let left = AT_A_STEP; left > 0; left--) await this.#sendOne(world)
  }

  async #sendOne(world: World): Promise<void> {
    await world.commands.quiet()
    const { seq } = world.view
    const draw = this.#random.next()
    const decision = await (draw < 0.85
      ? this.#place(world)
      : draw < 0.95
        ? this.#close(world)
        : this.#configure(world))
    this.counts[decision.ok ? 'accepted' : 'refused'] += 1
    if (!decision.ok) assert.equal(world.view.seq, seq, 'a refusal changes nothing')
  }

  /** Compares the decision and the events of an order with its preview. */
  async #place(world: World): Promise<Decision> {
    const command = this.#order(world)
    const { accountId, clientOrderId } = command
    let preview: Preview | undefined
    const events: BrokerEvent[] = []
    const stop = world.publisher.listen((some) => events.push(...some.map(({ event }) => event)))
    const decision = await world.storage.withEarlierOrder(accountId, clientOrderId!, (earlier) => {
      const tried = { ...command, ...(earlier ? { earlier } : {}) }
      preview = previewOrder(world, tried)
      return decided(world, tried)
    })
    await world.commands.quiet()
    stop()
    assert.deepEqual(
      preview?.refusal,
      decision.ok ? undefined : decision.reason,
      'the preview has the refusal',
    )
    const [event] = decision.ok ? decision.value : []
    if (event?.kind !== 'orderAccepted') return decision
    assertPreviewed(world, event.order.id, preview!, events)
    this.#generator.orders.push({ id: event.order.id, accountId })
    this.#placed.push({ accountId, clientOrderId: clientOrderId! })
    return decision
  }

  /** Some orders have the client id of an earlier one. */
  #order(world: World): PlaceOrder {
    const random = this.#random
    const reused = random.chance(0.08) ? random.pick(this.#placed.slice(-10)) : undefined
    const symbol = random.pick(SYMBOLS)
    const accountId = reused?.accountId ?? this.#account()
    const tag = reused?.clientOrderId ?? `quiet-${this.#placed.length}-${random.next()}`
    const order = randomOrder(random, world, { accountId, symbol, tag }) as PlaceOrder
    return order.symbol === COIN ? { ...order, timeInForce: 'gtc', extendedHours: false } : order
  }

  /** All of a position, or a part of it. */
  #close(world: World): Promise<Decision> {
    const random = this.#random
    const part = random.pick([
      { kind: 'all' },
      { kind: 'quantity', quantity: (BigInt(random.integer(1, 20)) * NANO) as never },
      { kind: 'percentage', percentage: BigInt(random.integer(1, 100)) * NANO },
    ] as const)
    const symbol = random.pick(SYMBOLS)
    return decided(world, { kind: 'closePosition', accountId: this.#account(), symbol, part })
  }

  /** Changes settings of an account, mostly without a long effect. */
  #configure(world: World): Promise<Decision> {
    const random = this.#random
    const changes = random.pick([
      { maxMarginMultiplier: 1 },
      { maxMarginMultiplier: 2 },
      { maxMarginMultiplier: 4 },
      { noShorting: random.chance(0.3) },
      { suspendTrade: random.chance(0.2) },
      { fractionalTrading: random.chance(0.7) },
    ] as const)
    return decided(world, { kind: 'changeConfig', accountId: this.#account(), changes })
  }

  #account(): AccountId {
    return this.#random.pick(this.#generator.accounts)
  }
}

/** The events of an order are those of its preview, unless it needs time to reach the market. */
function assertPreviewed(world: World, id: OrderId, preview: Preview, events: readonly BrokerEvent[]): void {
  const { latencyNs, venue } = settingsOf(world.view)
  if (preview.refusal || latencyNs > 0n || venue?.latency) return
  const own = (some: readonly BrokerEvent[]) =>
    some.filter(
      (event) =>
        (event.kind === 'orderAccepted' ? event.order.id : 'orderId' in event && event.orderId) === id,
    )
  assert.deepEqual(own(preview.events), own(events), 'the preview has the fills')
}
