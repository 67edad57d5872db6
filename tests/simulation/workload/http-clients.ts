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
import type { Random } from '../../support/random.ts'
import type { Outcome } from '../checker/acknowledgements.ts'
import { type ObservedOrder, type ObservedOrders, observedOnWire } from '../checker/observed-orders.ts'
import type { ApiRequest, SimulatedApi } from './api.ts'

export type HttpResponse = {
  readonly outcome: Outcome
  readonly seq?: number
  readonly order?: ObservedOrder
  readonly actionId?: ActionId
}

const KINDS: ReadonlySet<Command['kind']> = new Set([
  'placeOrder',
  'replaceOrder',
  'cancelOrder',
  'scheduleAction',
  'cancelAction',
])

/** Clients that send requests over HTTP instead of directly. */
export class HttpClients {
  readonly #api: SimulatedApi
  readonly #random: Random
  readonly #observed: ObservedOrders

  constructor(api: SimulatedApi, random: Random, observed: ObservedOrders) {
    this.#api = api
    this.#random = random
    this.#observed = observed
  }

  /** Whether a command has an HTTP operation. */
  supports({ kind }: Command): boolean {
    return KINDS.has(kind)
  }

  /** Some bodies are sent in two parts, and some clients ignore the response. */
  async send(command: Command): Promise<HttpResponse> {
    const random = this.#random
    const ignoresResponse = random.chance(0.03)
    const request = requestFor(command)
    const late = request.body && random.chance(0.2) ? random.integer(1, 20) : 0
    const reply = await this.#api.send({ ...request, late })
    if (ignoresResponse || reply.kind === 'closed') return { outcome: 'unknown' }
    const outcome = outcomeOf(reply.status)
    const seq = reply.seq === undefined ? {} : { seq: reply.seq }
    if (outcome !== 'accepted') return { outcome, ...seq }
    if (command.kind === 'scheduleAction')
      return { outcome, ...seq, actionId: (reply.body as { id: ActionId }).id }
    if (!('clientOrderId' in command)) return { outcome, ...seq }
    return { outcome, ...seq, order: observedOnWire(reply.body as OrderRecord, command.accountId) }
  }

  /** Reads all orders of an account, or one, and checks them; returns the event number of the response. */
  async read(accountId: AccountId): Promise<number | undefined> {
    const before = this.#observed.now()
    const accountOrders = [...before.values()].filter((order) => order.accountId === accountId)
    const one = this.#random.chance(0.4) ? this.#random.pick(accountOrders.slice(-20)) : undefined
    const path = one ? `/v2/orders/${one.id}` : '/v2/orders?status=all&limit=500'
    const reply = await this.#api.send({ method: 'GET', path, accountId })
    if (reply.kind === 'closed' || outcomeOf(reply.status) === 'notApplied') return undefined
    assert.equal(reply.status, 200, `${path} was answered with ${reply.status}`)
    if (one) this.#observed.take(observedOnWire(reply.body as OrderRecord, accountId), before)
    else if (accountOrders.length < 500) {
      const list = (reply.body as OrderRecord[]).map((record) => observedOnWire(record, accountId))
      this.#observed.takeList(accountId, list, before)
    }
    return reply.seq
  }
}

function requestFor(command: Command): ApiRequest {
  if (command.kind === 'cancelOrder')
    return { method: 'DELETE', path: `/v2/orders/${command.orderId}`, accountId: command.accountId }
  if (command.kind === 'replaceOrder') return replaceRequest(command)
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

/** Omits an undefined amount. */
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
  const common = { symbol, ex_date: exDate }
  switch (terms.kind) {
    case 'split': {
      const type = terms.newRate < terms.oldRate ? 'reverse_split' : 'forward_split'
      return { ...common, type, ...money('new_rate', terms.newRate), ...money('old_rate', terms.oldRate) }
    }
    case 'dividend':
      return { ...common, type: 'cash_dividend', ...money('rate', terms.rate), payable_date: terms.payDate }
    case 'symbolChange':
      return { ...common, type: 'name_change', new_symbol: terms.newSymbol }
    case 'delisting':
      return { ...common, type: 'delisting', ...money('price', terms.price) }
  }
}

function replaceRequest({ accountId, orderId, ...command }: ReplaceOrder): ApiRequest {
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

/** 503 means that nothing was applied; any other 5xx is a bug. */
function outcomeOf(status: number): Outcome {
  if (status === 503) return 'notApplied'
  assert(status < 500, `a response with ${status}`)
  return status < 300 ? 'accepted' : 'refused'
}
