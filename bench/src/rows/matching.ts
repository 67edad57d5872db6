import type { Committed } from '@quipu/broker/journal/committed.ts'
import { type MarketSource, NO_SCHEDULE } from '@quipu/broker/market/market-source.ts'
import { syntheticMarket } from '@quipu/broker/market/synthetic/synthetic.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Account, Price, Prices, Quantity, Quote, Ticker } from '@quipu/core'
import { tradeUpdateMessage } from '@quipu/server/streams/hub.ts'
import { buyOrder, DOLLAR, openBareWorld, startMeasuring } from '../bare-world.ts'
import { alternate, type Figure, type Round } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const rowO = rowsWith('o')
const rowP = rowsWith('p')
const SYMBOL = 'F' as Ticker
const RESTING = 100_000
const FEW = 10
const FILLED_AT_ONCE = 1_000
const ACCOUNTS = 100

/**
 * (o) A quote for a symbol with 100,000 resting orders that it does not fill, compared with ten resting orders.
 * (p) A quote that fills 1,000 orders at once: decided and applied; then also stored; then also encoded as stream
 * frames.
 */
export async function matching({ rounds, calls }: Size): Promise<readonly Row[]> {
  const [many, few] = [await restingWorld(RESTING), await restingWorld(FEW)]
  const quotes = calls * 10
  const idle = await alternate(
    [
      { name: `${RESTING} resting`, round: async () => quoteRound(many, quotes) },
      { name: `${FEW} resting`, round: async () => quoteRound(few, quotes) },
    ],
    rounds,
  )
  for (const { world } of [many, few]) await world.close()
  const fills = await alternate(
    [
      { name: 'fills', round: () => fillRound(calls, 'matched') },
      { name: 'fills stored', round: () => fillRound(calls, 'stored') },
      { name: 'fills with frames', round: () => fillRound(calls, 'published') },
    ],
    rounds,
  )
  const [among, alone] = idle as readonly [Figure, Figure]
  const [matched, stored, framed] = fills as readonly [Figure, Figure, Figure]
  const ratio = alone.perThreadSecond / among.perThreadSecond
  return [
    rowO('cost of a quote, 100,000 resting / ten', ratio, '≤ 2'),
    rowO('quotes per CPU second of the thread', among.perThreadSecond),
    rowP('fills of a quote, per CPU second', matched.perThreadSecond, '≥ 200,000'),
    rowP('the same, stored', stored.perThreadSecond),
    rowP('the same, stored and with frames', framed.perThreadSecond, '≥ 50,000'),
  ]
}

/** A market whose only quote is set by `show`. */
function manualMarket(): { readonly market: () => MarketSource; show(bid: bigint, ask: bigint): void } {
  let quote: Quote | undefined
  let shown = 0n
  const show = (bid: bigint, ask: bigint) => {
    quote = {
      at: (1_767_625_200_000_000_000n + ++shown) as Quote['at'],
      bid: bid as Price,
      ask: ask as Price,
      bidSize: (100n * DOLLAR) as Quantity,
      askSize: (100n * DOLLAR) as Quantity,
    }
  }
  show(10n * DOLLAR, 11n * DOLLAR)
  const prices: Prices = {
    quote: () => quote,
    trade: () => quote && { at: quote.at, price: quote.ask, size: quote.askSize },
  }
  const market = () => ({
    ...syntheticMarket({ seed: 'bench', hours: 'always', symbols: [SYMBOL] }),
    pricesAt: () => prices,
    schedule: NO_SCHEDULE,
  })
  return { market, show }
}

type Stage = { readonly world: World; show(bid: bigint, ask: bigint): void }

/** A world with orders that rest far below the quote, at 800 prices. */
async function restingWorld(orders: number): Promise<Stage> {
  const { market, show } = manualMarket()
  const { world, accounts } = await openBareWorld({ accounts: ACCOUNTS, market })
  await place(world, accounts, orders, (n) => DOLLAR + BigInt(n % 800) * (DOLLAR / 100n))
  return { world, show }
}

async function place(
  world: World,
  accounts: readonly Account[],
  orders: number,
  limit: (n: number) => bigint,
): Promise<void> {
  let answers: Promise<unknown>[] = []
  for (let n = 0; n < orders; n++) {
    const command = buyOrder(accounts[n % accounts.length]!, limit(n))
    answers.push(
      world.submit(command, (_, decision) => {
        if (!decision.ok) throw new Error(`not placed: ${decision.reason.code}`)
      }),
    )
    if (answers.length < 1000) continue
    await Promise.all(answers)
    answers = []
  }
  await Promise.all(answers)
  await world.quiet()
}

function quoteRound({ world, show }: Stage, quotes: number): Round {
  const stopMeasuring = startMeasuring()
  for (let n = 0; n < quotes; n++) {
    show(10n * DOLLAR, 11n * DOLLAR)
    world.submitInternal({ kind: 'observeQuote', symbol: SYMBOL })
  }
  return stopMeasuring(quotes)
}

/** Measures only the quote, not the placing of the orders that it fills. */
async function fillRound(fills: number, until: 'matched' | 'stored' | 'published'): Promise<Round> {
  const { market, show } = manualMarket()
  const { world, accounts } = await openBareWorld({ accounts: ACCOUNTS, market })
  const rounds: Round[] = []
  for (let done = 0; done < fills; done += FILLED_AT_ONCE) {
    show(10n * DOLLAR, 11n * DOLLAR)
    await place(world, accounts, FILLED_AT_ONCE, (n) => 9n * DOLLAR + BigInt(n % 50) * (DOLLAR / 100n))
    const stop = until === 'published' ? world.listen(makeFrames) : undefined
    show(8n * DOLLAR, 9n * DOLLAR)
    const stopMeasuring = startMeasuring()
    const decision = world.submitInternal({ kind: 'observeQuote', symbol: SYMBOL })
    if (!decision.ok || decision.value.length !== FILLED_AT_ONCE)
      throw new Error('expected every order to be filled')
    if (until === 'matched') rounds.push(stopMeasuring(FILLED_AT_ONCE))
    await world.engine.untilDurable(world.view.seq)
    if (until !== 'matched') rounds.push(stopMeasuring(FILLED_AT_ONCE))
    stop?.()
    world.engine.forget(world.view.seq)
  }
  await world.close()
  return sumOf(rounds)
}

const sumOf = (rounds: readonly Round[]): Round =>
  rounds.reduce((sum, one) => ({
    calls: sum.calls + one.calls,
    cpuSeconds: sum.cpuSeconds + one.cpuSeconds,
    threadSeconds: sum.threadSeconds + one.threadSeconds,
    wallSeconds: sum.wallSeconds + one.wallSeconds,
  }))

/** Encodes the messages that the stream of each account sends. */
function makeFrames(events: readonly Committed[]): void {
  for (const committed of events) tradeUpdateMessage(committed)?.frame('jsonInBinary')
}
