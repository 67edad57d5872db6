import assert from 'node:assert/strict'
import type { OrderRecord } from '@quipu/contract'
import {
  type AccountId,
  type ActionId,
  type Command,
  format,
  type PlaceOrder,
  type ReplaceOrder,
  type ScheduleAction,
} from '@quipu/core'
import type { Random } from '../../random.ts'
import type { Outcome } from '../checker/promises.ts'
import { type Seen, type SeenOrders, seenOnWire } from '../checker/seen-orders.ts'
import type { Asked, Door } from './api.ts'

export type Told = {
  readonly outcome: Outcome
  readonly seq?: number
  readonly order?: Seen
  readonly actionId?: ActionId
}

const KINDS: ReadonlySet<Command['kind']> = new Set([
  'placeOrder',
  'replaceOrder',
  'cancelOrder',
  'scheduleAction',
  'cancelAction',
])

/** Clients that ask over HTTP what the others ask directly. */
export class HttpClients {
  readonly #door: Door
  readonly #random: Random
  readonly #seen: SeenOrders

  constructor(door: Door, random: Random, seen: SeenOrders) {
    this.#door = door
    this.#random = random
    this.#seen = seen
  }

  /** Whether there is an operation for it here. */
  takes({ kind }: Command): boolean {
    return KINDS.has(kind)
  }

  /** Some bodies come in two parts, and some clients leave before they are answered. */
  async send(command: Command): Promise<Told> {
    const random = this.#random
    const isGone = random.chance(0.03)
    const asked = askedFor(command)
    const late = asked.body && random.chance(0.2) ? random.integer(1, 20) : 0
    const reply = await this.#door.ask({ ...asked, late })
    if (isGone || reply.kind === 'closed') return { outcome: 'unknown' }
    const outcome = outcomeOf(reply.status)
    const seq = reply.seq === undefined ? {} : { seq: reply.seq }
    if (outcome !== 'accepted') return { outcome, ...seq }
    if (command.kind === 'scheduleAction')
      return { outcome, ...seq, actionId: (reply.body as { id: ActionId }).id }
    if (!('clientOrderId' in command)) return { outcome, ...seq }
    return { outcome, ...seq, order: seenOnWire(reply.body as OrderRecord, command.accountId) }
  }

  /** All orders of an account, or one of them: what anyone was told before is there. Gives the number it saw. */
  async look(accountId: AccountId): Promise<number | undefined> {
    const before = this.#seen.now()
    const mine = [...before.values()].filter((order) => order.accountId === accountId)
    const one = this.#random.chance(0.4) ? this.#random.pick(mine.slice(-20)) : undefined
    const path = one ? `/v2/orders/${one.id}` : '/v2/orders?status=all&limit=500'
    const reply = await this.#door.ask({ method: 'GET', path, accountId })
    if (reply.kind === 'closed' || outcomeOf(reply.status) === 'notApplied') return undefined
    assert.equal(reply.status, 200, `${path} was answered with ${reply.status}`)
    if (one) this.#seen.take(seenOnWire(reply.body as OrderRecord, accountId), before)
    else if (mine.length < 500) {
      const list = (reply.body as OrderRecord[]).map((record) => seenOnWire(record, accountId))
      this.#seen.takeList(accountId, list, before)
    }
    return reply.seq
  }
}

function askedFor(command: Command): Asked {
  if (command.kind === 'cancelOrder')
    return { method: 'DELETE', path: `/v2/orders/${command.orderId}`, accountId: command.accountId }
  if (command.kind === 'replaceOrder') return replacing(command)
  if (command.kind === 'scheduleAction') return { method: 'POST', path: ACTIONS, body: actionBody(command) }
  if (command.kind === 'cancelAction') return { method: 'DELETE', path: `${ACTIONS}/${command.actionId}` }
  assert(command.kind === 'placeOrder')
  return { method: 'POST', path: '/v2/orders', accountId: command.accountId, body: bodyOf(command) }
}

const types = {
  market: 'market',
  limit: 'limit',
  stop: 'stop',
  stopLimit: 'stop_limit',
  trailingStop: 'trailing_stop',
} as const

/** What is not there is not sent. */
const money = (name: string, amount: bigint | undefined) =>
  amount === undefined ? {} : { [name]: format(amount) }

function bodyOf(command: PlaceOrder): object {
  const { takeProfit, stopLoss, class: group, notional } = command
  return {
    symbol: command.symbol,
    side: command.side,
    type: types[command.type],
    ...(notional === undefined ? { qty: format(command.quantity) } : { notional: format(notional) }),
    time_in_force: command.timeInForce,
    extended_hours: command.extendedHours,
    client_order_id: command.clientOrderId,
    ...money('limit_price', command.limit),
    ...money('stop_price', command.stop),
    ...money('trail_price', command.trailPrice),
    ...money('trail_percent', command.trailPercent),
    ...(group ? { order_class: group } : {}),
    ...(takeProfit ? { take_profit: money('limit_price', takeProfit.limit) } : {}),
    ...(stopLoss ? { stop_loss: money('stop_price', stopLoss.stop) } : {}),
  }
}

const ACTIONS = '/sim/v1/worlds/simulated/corporate-actions'

function actionBody({ symbol, exDate, terms }: ScheduleAction): object {
  const of = { symbol, ex_date: exDate }
  switch (terms.kind) {
    case 'split': {
      const type = terms.newRate < terms.oldRate ? 'reverse_split' : 'forward_split'
      return { ...of, type, ...money('new_rate', terms.newRate), ...money('old_rate', terms.oldRate) }
    }
    case 'dividend':
      return { ...of, type: 'cash_dividend', ...money('rate', terms.rate), payable_date: terms.payDate }
    case 'symbolChange':
      return { ...of, type: 'name_change', new_symbol: terms.newSymbol }
    case 'delisting':
      return { ...of, type: 'delisting', ...money('price', terms.price) }
  }
}

function replacing({ accountId, orderId, ...command }: ReplaceOrder): Asked {
  const { timeInForce } = command
  const body = {
    client_order_id: command.clientOrderId,
    ...money('qty', command.quantity),
    ...money('limit_price', command.limit),
    ...money('stop_price', command.stop),
    ...(timeInForce ? { time_in_force: timeInForce } : {}),
  }
  return { method: 'PATCH', path: `/v2/orders/${orderId}`, accountId, body }
}

/** 503 says that nothing was applied; anything but that, a success and a refusal is a fault of the program. */
function outcomeOf(status: number): Outcome {
  if (status === 503) return 'notApplied'
  assert(status < 500, `an answer with ${status}`)
  return status < 300 ? 'accepted' : 'refused'
}
