import { orderTypeWith } from '@quipu/contract/order-types.ts'
import type { Call } from '@quipu/sdk'
import { decimal, textOf } from '../format/decimal.ts'
import { dayKey, minuteText } from '../format/times.ts'
import { findAsset } from '../live/assets.ts'
import { clock, nowMs } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { toast } from '../parts/toasts.tsx'
import { go, hrefOf, place } from '../router.ts'
import { actingOperator } from '../session/connections.ts'
import { api, worldName } from '../session/selection.ts'
import { showNewWorld } from '../shell/show-new-world.ts'
import { changeTicket, startOrder, typeSymbol } from '../ticket/ticket-fields.ts'
import type { ForkPoint, OrderSentence, Sentence } from './sentence.ts'
import { beginOf, type Moment, timeOfDay } from './sentence-time.ts'
import { describeSentence } from './sentence-words.ts'

type NewMarketEvent = NonNullable<Call<'createMarketEvent'>['body']>
type EventSentence = Extract<Sentence, { kind: 'crash' | 'halt' | 'gap' }>

const MINUTE_MS = 60_000

/** What follows when the search is closed. */
type After = () => void

/** Does what a sentence says in the world on screen, or in a fork of it. Throws what the server refused. */
export async function doSentence(sentence: Sentence, inFork: boolean): Promise<After> {
  if (sentence.kind === 'order') await checkSymbol(sentence.symbol)
  // A fork has the same time; its own clock is read a little later.
  const moment = momentNow()
  if (inFork) await fork(undefined)
  const { client } = actingOperator()
  const params = { world: worldName.peek() }
  switch (sentence.kind) {
    case 'fork':
      return fork(await forkTime(sentence.from))
    case 'order':
      return () => openTicket(sentence)
    case 'backup': {
      const { name } = await client.createBackup({ body: {} })
      return () => toast(`Backup ${name} is complete.`)
    }
    case 'advance':
      await client.advanceClock({ params, body: { until: sentence.until, ...limitOf(sentence.until) } })
      return () => undefined
    case 'crash':
    case 'halt':
    case 'gap':
      await client.createMarketEvent({ params, body: eventOf(sentence, moment) })
      return () => toast(`${describeSentence(sentence, moment).title} is planned in ${params.world}.`)
  }
}

/** An event may never come; the sessions always do. */
const limitOf = (until: string) => (until === 'next_event' ? { within: '7d' } : {})

export const momentNow = (): Moment => {
  const now = nowMs.peek() ?? Date.now()
  return { now, speed: clock.peek()?.speed ?? 0, nextOpenMs: clock.peek()?.nextOpenMs ?? now }
}

const iso = (ms: number): string => new Date(Math.floor(ms)).toISOString()

function eventOf(sentence: EventSentence, moment: Moment): NewMarketEvent {
  const symbol = sentence.symbol === undefined ? {} : { symbol: sentence.symbol }
  switch (sentence.kind) {
    case 'gap':
      return { kind: 'gap', ...symbol, on: dayKey(moment.nextOpenMs), percent: sentence.percent }
    case 'halt': {
      const from = beginOf(sentence.start, moment)
      return {
        kind: 'halt',
        ...symbol,
        from: iso(from),
        to: iso(from + Number(sentence.minutes) * MINUTE_MS),
      }
    }
    case 'crash': {
      const { units, places } = decimal(sentence.percent)
      const depth = textOf({ units, places: places + 2 })
      const [at, minutes] = [iso(beginOf(sentence.start, moment)), Number(sentence.minutes)]
      return { kind: 'crash', ...symbol, at, depth, minutes, recovers: true }
    }
  }
}

/** Forks the world on screen and shows the fork. */
async function fork(atMs: number | undefined): Promise<After> {
  const params = { world: worldName.peek() }
  const body = atMs === undefined ? {} : { at: iso(atMs) }
  const made = await actingOperator().client.forkWorld({ params, body })
  await showNewWorld(made)
  const where = atMs === undefined ? '' : ` at ${minuteText(atMs)}`
  return () => toast(`Forked ${params.world}${where}. You see the fork ${made.world}.`)
}

/** The instant of a fork. Before an order is a millisecond before its acceptance; undefined is now. */
async function forkTime(from: ForkPoint): Promise<number | undefined> {
  switch (from.kind) {
    case 'now':
      return undefined
    case 'at':
      return timeOfDay(from.time, momentNow().now)
    case 'shownOrder': {
      const { screen, item } = place.peek()
      const client = api.peek()?.client
      if (screen !== 'orders' || item === undefined || client === undefined)
        throw new Error('fork before this order: open the page of an order first')
      return before(await client.getOrder({ params: { order_id: item } }))
    }
    case 'order': {
      const { clientOrderId } = from
      const open = [...(current.peek()?.store.openOrders.peek()?.values() ?? [])]
      const known = open.find(({ client_order_id: id }) => id === clientOrderId)
      if (known) return before(known)
      const query = { client_order_id: clientOrderId }
      const found = await api.peek()?.client.getOrderByClientOrderId({ query })
      if (!found) throw new Error('fork before: there is no account in this world')
      return before(found)
    }
  }
}

const before = ({ created_at: at }: { readonly created_at: string }): number => Date.parse(at) - 1

/** A ticket never has a symbol that the world lacks. */
async function checkSymbol(symbol: string): Promise<void> {
  const connection = api.peek()
  if (!connection) throw new Error('There is no account in this world')
  if ((await findAsset(connection, symbol, new AbortController().signal)) === null)
    throw new Error(`There is no symbol ${symbol} in ${worldName.peek()}`)
}

/** Fills the ticket. Only its own button sends the order. */
function openTicket({ side, size, unit, symbol, limit, stop, isUntilCanceled }: OrderSentence): void {
  const prices = { limit_price: limit, stop_price: stop, trail: undefined }
  go(hrefOf('workspace'))
  typeSymbol(symbol, new Set([symbol]))
  changeTicket({
    symbol,
    side,
    size,
    unit,
    type: orderTypeWith((price) => prices[price] !== undefined),
    limitPrice: limit ?? '',
    stopPrice: stop ?? '',
    validity: isUntilCanceled ? 'gtc' : 'day',
  })
  startOrder({})
}
