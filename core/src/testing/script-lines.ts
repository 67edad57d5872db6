import { type Money, NO_QUANTITY, type Price, parseDecimal, type Quantity } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { Command } from '../commands.ts'
import { definedFields } from '../defined-fields.ts'
import type { AccountId, ClientOrderId, OrderId, PartnerId, RequestId, Ticker } from '../ids.ts'
import { session } from '../market/calendar.ts'
import type { LastTrade, Quote } from '../market/prices.ts'
import type { PlaceOrder } from '../orders/commands.ts'
import { GROUP_CLASSES, kindWith, TIMES_IN_FORCE } from '../orders/kinds.ts'
import type { PositionIntent, Side } from '../orders/order.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import { openOptionsIn, partnerLines } from './script-partner.ts'
import { tokenLines } from './script-tokens.ts'

/** Input of a script line: the state, the names, and the prices, which lines may also set. */
export type ScriptContext = {
  readonly state: View
  readonly now: Instant
  readonly partnerId: PartnerId
  readonly quotes: Map<string, Quote>
  readonly trades: Map<string, LastTrade>
  readonly accounts: ReadonlyMap<string, AccountId>
  readonly orders: ReadonlyMap<string, OrderId>
  readonly requests: ReadonlyMap<string, RequestId>
}

/**
 * Parses a script line into a command.
 *
 *   open A 1000 [live]                      quote AAPL 99.98 100 [10 10]         trade AAPL 100
 *   buy A o1 AAPL 10 [@100] [gtc] [ext]     sell A o2 AAPL 10 …                  cancel A o1
 *       [stop=101] [trail=1] [trail%=2] [opg|cls|ioc|fok] [bracket|oco|oto] [take=110] [loss=90] [losslimit=89]
 *       a size of $100 is a notional order; [as=sellToOpen] is the position intent
 *   replace A o1 [qty=5] [@101] [stop=99] [trail=2] [gtc] [id=x]     o1 then names the new order
 *   auction AAPL open 2026-11-03 100 [500]
 *   deposit A 100      withdraw A 100      jnlc A B 100      jnls A B AAPL 2
 *   reset A 500 [AAPL:10[:1000] …]          close A [empty]                      open A 1000 paper [AAPL:10 …] [id=x]
 *   and the lines in `script-tokens.ts`
 */
export function commandFrom(
  context: ScriptContext,
  verb: string,
  words: readonly string[],
): Command | undefined {
  const line = lines[verb]
  if (!line) throw new Error(`unknown script line: ${verb} ${words.join(' ')}`)
  return line(context, words, verb)
}

type Line = (context: ScriptContext, words: readonly string[], verb: string) => Command | undefined

const lines: Readonly<Record<string, Line>> = {
  open: ({ partnerId }, [, cash = '0', flavour = 'paper', ...rest]) => ({
    kind: 'openAccount',
    flavour: flavour === 'live' ? 'live' : 'paper',
    partnerId,
    cash: amount(cash) as Money,
    ...openOptionsIn(rest),
  }),
  ...partnerLines,
  ...tokenLines,
  quote: ({ quotes, now }, [symbol = '', bid = '', ask = '', bidSize = '1000', askSize = bidSize]) => {
    quotes.set(symbol, {
      at: now,
      bid: amount(bid) as Price,
      ask: amount(ask) as Price,
      bidSize: quantity(bidSize),
      askSize: quantity(askSize),
    })
    return { kind: 'observeQuote', symbol: symbol as Ticker }
  },
  trade: ({ trades, now }, [symbol = '', price = '']) => {
    trades.set(symbol, { at: (now + 1n) as Instant, price: amount(price) as Price, size: quantity('100') })
    return { kind: 'observeTrade', symbol: symbol as Ticker }
  },
  auction: ({ now }, [symbol = '', which = '', date = '', price = '', size = '1000']) => {
    const day = session(date as CivilDate)
    if (!day) throw new Error(`no session on ${date}`)
    return {
      kind: 'holdAuction',
      symbol: symbol as Ticker,
      due: which === 'open' ? day.open : day.close,
      print: { at: now, price: amount(price) as Price, size: quantity(size) },
    }
  },
  buy: placeLine,
  sell: placeLine,
  cancel: (context, [account = '', order = '']) => ({
    kind: 'cancelOrder',
    accountId: named(context.accounts, account),
    orderId: context.orders.get(order) ?? (order as OrderId),
  }),
  replace: (context, [account = '', order = '', ...rest]) => {
    const [size, stop, trail] = ['qty', 'stop', 'trail'].map((name) => priceIn(rest, name))
    const timeInForce = TIMES_IN_FORCE.find((time) => rest.includes(time))
    const id = rest.find((word) => word.startsWith('id='))?.slice(3) as ClientOrderId | undefined
    return {
      kind: 'replaceOrder',
      accountId: named(context.accounts, account),
      orderId: context.orders.get(order) ?? (order as OrderId),
      ...definedFields({
        clientOrderId: id,
        quantity: size as bigint | undefined as Quantity | undefined,
        limit: limitIn(rest),
        stop,
        trail,
        timeInForce,
      }),
    }
  },
}

function placeLine(context: ScriptContext, words: readonly string[], side: string): Command {
  const [account = '', clientOrderId = '', symbol = '', size = '', ...rest] = words
  const limit = limitIn(rest)
  const options = { ...triggerIn(rest), ...groupIn(rest) }
  const intent = rest.find((word) => word.startsWith('as='))
  return {
    kind: 'placeOrder',
    accountId: context.accounts.get(account) ?? (account as AccountId),
    clientOrderId: clientOrderId as ClientOrderId,
    symbol: symbol as Ticker,
    side: side as Side,
    type: kindWith({ limit, stop: options.stop, trail: options.trailPrice ?? options.trailPercent }),
    timeInForce: TIMES_IN_FORCE.find((time) => rest.includes(time)) ?? 'day',
    extendedHours: rest.includes('ext'),
    ...(size.startsWith('$')
      ? { quantity: NO_QUANTITY, notional: amount(size.slice(1)) as Money }
      : { quantity: quantity(size) }),
    ...definedFields({ limit }),
    ...options,
    ...definedFields({ intent: intent?.slice(3) as PositionIntent | undefined }),
  }
}

type OrderOptions = Pick<
  PlaceOrder,
  'stop' | 'trailPrice' | 'trailPercent' | 'class' | 'takeProfit' | 'stopLoss'
>

const priceIn = (words: readonly string[], name: string): Price | undefined => {
  const word = words.find((each) => each.startsWith(`${name}=`))
  return word === undefined ? undefined : (amount(word.slice(name.length + 1)) as Price)
}

function limitIn(words: readonly string[]): Price | undefined {
  const word = words.find((each) => each.startsWith('@'))
  return word === undefined ? undefined : (amount(word.slice(1)) as Price)
}

function triggerIn(words: readonly string[]): OrderOptions {
  const [stop, trailPrice, trailPercent] = ['stop', 'trail', 'trail%'].map((name) => priceIn(words, name))
  return definedFields({ stop, trailPrice, trailPercent })
}

function groupIn(words: readonly string[]): OrderOptions {
  const kind = GROUP_CLASSES.find((each) => words.includes(each))
  const [take, stop, limit] = ['take', 'loss', 'losslimit'].map((name) => priceIn(words, name))
  return definedFields({
    class: kind,
    takeProfit: take === undefined ? undefined : { limit: take },
    stopLoss: stop === undefined ? undefined : { stop, ...definedFields({ limit }) },
  })
}

export const amount = (text: string): bigint => must(parseDecimal(text))
export const quantity = (text: string): Quantity => amount(text) as Quantity

export function must<Value>(result: { ok: true; value: Value } | { ok: false; reason: unknown }): Value {
  if (!result.ok) throw new Error(`expected a value, received ${String(result.reason)}`)
  return result.value
}

function named<Id>(names: ReadonlyMap<string, Id>, name: string): Id {
  const id = names.get(name)
  if (id === undefined) throw new Error(`no id has the name "${name}"`)
  return id
}
