import assert from 'node:assert/strict'
import {
  type Account,
  type AccountId,
  type BrokerEvent,
  type ClientOrderId,
  type Command,
  type Decision,
  type Instant,
  type IssuerCode,
  type OrderId,
  type PlaceOrder,
  settingsOf,
  type Ticker,
} from '@quipu/core'
import { openAccount } from '../../broker/src/access/issue-keys.ts'
import { simulatedChain } from '../../broker/src/chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '../../broker/src/issuer/builtin.ts'
import type { TokenIssuer } from '../../broker/src/issuer/issuer.ts'
import { eventOf } from '../../broker/src/journal/stored-event.ts'
import { makeRunJob } from '../../broker/src/world/jobs.ts'
import { type Preview, previewOrder } from '../../broker/src/world/preview.ts'
import { decided, instant, openTestWorld, type TestWorld } from '../../broker/src/world/testing/world.ts'
import type { World } from '../../broker/src/world/world.ts'
import { Random } from '../support/random.ts'
import { Checker } from './checker/checker.ts'
import type { Setup } from './setups.ts'

export type SetupResult = {
  readonly world: World
  readonly fills: number
  readonly accepted: number
  readonly refused: number
}

type Placed = {
  readonly id: OrderId
  readonly accountId: AccountId
  readonly clientOrderId: ClientOrderId
}

type SimulatedWorld = TestWorld & {
  readonly random: Random
  readonly accounts: readonly Account[]
  readonly orders: Placed[]
}

/** Makes random steps and checks each. */
export async function runSetup(setup: Setup, seed: string, steps: number): Promise<SetupResult> {
  const simulated = await openWorld(setup, seed)
  const { world } = simulated
  const checker = new Checker((at) => world.market.pricesAt(at as Instant))
  const counts = { accepted: 0, refused: 0 }
  const stop = await follow(world, checker)
  for (let step = 0; step < steps; step++) {
    const { seq } = world.view
    const decision = await takeStep(simulated)
    if (decision && !decision.ok) assert.equal(world.view.seq, seq, 'a refusal changes nothing')
    if (decision) counts[decision.ok ? 'accepted' : 'refused'] += 1
    await world.quiet()
    checker.assertState(world.view)
  }
  stop()
  assert.deepEqual(simulated.failures, [])
  return { world, fills: checker.fills, ...counts }
}

async function openWorld({ start, settings, name }: Setup, seed: string): Promise<SimulatedWorld> {
  const testWorld = await openTestWorld({
    settings: { seed, ...settings },
    start: instant(start),
    parts: { runJob: makeRunJob({ chain: simulatedChain(), issuer: unreliableIssuer() }) },
  })
  const { world, account } = testWorld
  const { partnerId } = account
  const poor = await openAccount(world, { flavour: 'paper', partnerId, cash: 1_500_000_000_000n as never })
  const rich = await openAccount(world, { flavour: 'live', partnerId, cash: 9_000_000_000_000_000n as never })
  await setUpIssuers(world, { partnerId, link: [rich.id] })
  const random = new Random(seed, name)
  return { ...testWorld, random, accounts: [account, poor, rich], orders: [] }
}

/** Accepts, refuses or fails the first time; only the id of the request decides. */
export function unreliableIssuer(): TokenIssuer {
  const calledIds = new Set<string>()
  return {
    ...builtinIssuer(simulatedChain()),
    async mint({ requestId }) {
      const isFirst = !calledIds.has(requestId)
      calledIds.add(requestId)
      if (isFirst && /^[0-4]/.test(requestId)) throw new Error('no answer from the issuer')
      return /[01]$/.test(requestId)
        ? { ok: false, reason: 'not today' }
        : { ok: true, issuerRequestId: `i-${requestId}` }
    },
    confirm: async ({ requestId }) =>
      /[23]$/.test(requestId) ? { ok: false, reason: 'not any more' } : { ok: true },
  }
}

/** Passes all past and future events to the checker. */
async function follow(world: World, checker: Checker): Promise<() => void> {
  await world.quiet()
  let seq = 0
  for await (const entries of world.journal.read(0))
    for (const entry of entries) checker.take({ seq: ++seq, event: eventOf(entry) })
  return world.listen((events) => {
    for (const committed of events) checker.take(committed)
  })
}

/** Returns the decision if the step was a command. */
async function takeStep(simulated: SimulatedWorld): Promise<Decision | undefined> {
  const draw = simulated.random.next()
  if (draw < 0.55) return place(simulated)
  if (draw < 0.65) return cancel(simulated)
  if (draw < 0.7) return mint(simulated)
  if (draw < 0.74) return close(simulated)
  if (draw < 0.76) return configure(simulated)
  return advance(simulated)
}

const SHARES = ['AAPL', 'KO', 'F', 'TSLA'].map((symbol) => symbol as Ticker)
const CRYPTO = 'ETH/USD' as Ticker
const NANO = 1_000_000_000n
const CENT = 10_000_000n

async function place(simulated: SimulatedWorld): Promise<Decision> {
  const { world, orders } = simulated
  const command = randomOrder(simulated)
  const { accountId, clientOrderId } = command
  let preview: Preview | undefined
  const events: BrokerEvent[] = []
  const stop = world.listen((some) => events.push(...some.map(({ event }) => event)))
  const decision = await world.withEarlierOrder(accountId, clientOrderId, (earlier) => {
    const tried = { ...command, ...(earlier ? { earlier } : {}) }
    preview = previewOrder(world, tried)
    return decided(world, tried)
  })
  await world.quiet()
  stop()
  assert.deepEqual(preview?.refusal, decision.ok ? undefined : decision.reason, 'the preview has the refusal')
  const [event] = decision.ok ? decision.value : []
  if (event?.kind !== 'orderAccepted') return decision
  assertPreviewed(world, event.order.id, preview!, events)
  orders.push({ id: event.order.id, accountId, clientOrderId })
  return decision
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

function randomOrder({ world, random, accounts, orders }: SimulatedWorld): PlaceOrder & Omit<Placed, 'id'> {
  const symbol = random.pick([...SHARES, CRYPTO])
  const isCrypto = symbol === CRYPTO
  const side = random.pick(['buy', 'buy', 'sell'] as const)
  const isLimit = random.chance(0.6)
  const reused = random.chance(0.08) ? random.pick(orders.slice(-10)) : undefined
  return {
    kind: 'placeOrder',
    accountId: reused?.accountId ?? random.pick(accounts).id,
    clientOrderId: reused?.clientOrderId ?? (`c-${orders.length}-${random.next()}` as ClientOrderId),
    symbol: random.chance(0.02) ? ('NOSUCH' as Ticker) : symbol,
    side,
    type: isLimit ? 'limit' : 'market',
    timeInForce: isCrypto ? 'gtc' : random.pick(['day', 'gtc'] as const),
    extendedHours: !isCrypto && random.chance(0.2),
    quantity: randomQuantity(random) as never,
    ...(isLimit ? { limit: randomLimit(world, random, symbol) as never } : {}),
  }
}

function randomQuantity(random: Random): bigint {
  if (random.chance(0.3)) return BigInt(random.integer(1, 5_000_000_000))
  return BigInt(random.pick([1, 3, 10, 70, 400, random.integer(1, 20_000)])) * NANO
}

/** Mostly near the market, so that the tape reaches the limit. */
function randomLimit(world: World, random: Random, symbol: Ticker): bigint {
  const quote = world.market.pricesAt(world.now).quote(symbol)
  const mid = quote ? (quote.bid + quote.ask) / 2n : 100n * NANO
  const permille = BigInt(random.pick([0, 1, 2, 5, 10, 30, 200]) * random.pick([-1, 1]))
  const price = mid + (mid * permille) / 1000n
  return random.chance(0.03) ? price : (price / CENT + 1n) * CENT
}

async function cancel({ world, random, orders, accounts }: SimulatedWorld): Promise<Decision | undefined> {
  const order = random.pick(orders.slice(-25))
  if (!order) return undefined
  const accountId = random.chance(0.1) ? random.pick(accounts).id : order.accountId
  return decided(world, { kind: 'cancelOrder', accountId, orderId: order.id })
}

async function mint({ world, random, accounts }: SimulatedWorld): Promise<Decision> {
  const quantity = randomQuantity(random)
  const command: Command = {
    kind: 'requestMint',
    accountId: random.pick(accounts).id,
    issuer: random.pick(['xstocks', 'st0x']) as IssuerCode,
    network: 'ethereum',
    underlying: random.pick(SHARES),
    quantity: quantity as never,
    quantityText: String(quantity),
    wallet: '0x52908400098527886E0F7030069857D2E4169EE7',
  }
  return decided(world, command)
}

/** All of a position, or a part of it. */
async function close({ world, random, accounts }: SimulatedWorld): Promise<Decision> {
  const part = random.pick([
    { kind: 'all' },
    { kind: 'quantity', quantity: randomQuantity(random) as never },
    { kind: 'percentage', percentage: BigInt(random.integer(1, 100)) * NANO },
  ] as const)
  const symbol = random.pick([...SHARES, CRYPTO])
  return decided(world, { kind: 'closePosition', accountId: random.pick(accounts).id, symbol, part })
}

/** Changes settings of an account, mostly without a long effect. */
async function configure({ world, random, accounts }: SimulatedWorld): Promise<Decision> {
  const changes = random.pick([
    { maxMarginMultiplier: 1 },
    { maxMarginMultiplier: 2 },
    { maxMarginMultiplier: 4 },
    { noShorting: random.chance(0.3) },
    { suspendTrade: random.chance(0.2) },
    { fractionalTrading: random.chance(0.7) },
  ] as const)
  return decided(world, { kind: 'changeConfig', accountId: random.pick(accounts).id, changes })
}

const HOUR_S = 3_600

async function advance({ world, clock, random }: SimulatedWorld): Promise<undefined> {
  const seconds = random.pick([
    random.integer(1, 60),
    random.integer(60, HOUR_S),
    random.integer(60, HOUR_S),
    random.integer(HOUR_S, 8 * HOUR_S),
    random.integer(8 * HOUR_S, 30 * HOUR_S),
  ])
  await clock.advance((world.latest + BigInt(seconds) * NANO) as Instant)
}
