import type { World } from '@quipu/broker/world/world.ts'
import { type ClosedPositionRecord, errorResponse, type InputOf } from '@quipu/contract'
import {
  type Asset,
  type BrokerEvent,
  type ClosedPart,
  type Decision,
  type Order,
  openOrdersOf,
  type Ticker,
  toQuantity,
} from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'
import { orderToWire } from '../../wire/order-wire.ts'
import { refuseOrder } from '../../wire/order-words.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { assetNamed } from './assets.ts'
import { positionSymbol, positionToWire, pricedHoldings } from './holdings.ts'
import { orderResponse } from './order-lookup.ts'

export const positionHandlers = {
  listPositions: async (_, context) => {
    const { world } = context.account
    const holdings = await context.state.read(world, (view) => pricedHoldings(view, context.account))
    return Promise.all(holdings.map((holding) => positionToWire(world, holding)))
  },

  getPosition: async ({ params }, context) => {
    const { world } = context.account
    const { symbol } = namedAsset(world, params.symbol_or_asset_id)
    const holdings = await context.state.read(world, (view) => pricedHoldings(view, context.account))
    const holding = holdings.find(({ position }) => position.symbol === symbol)
    if (!holding) throw refuse({ code: 'positionNotFound' })
    return positionToWire(world, holding)
  },

  closePosition: async ({ params, query }, context) => {
    const { world, accountId } = context.account
    const { symbol } = namedAsset(world, params.symbol_or_asset_id)
    await world.market.live?.waitForPrice(symbol)
    const command = { kind: 'closePosition', accountId, symbol, part: partOf(query) } as const
    return context.state.perform(
      world,
      command,
      (_, events) => orderResponse(acceptedIn(events)),
      refuseOrder,
    )
  },

  closeAllPositions: async ({ query }, context) => {
    const { world, accountId } = context.account
    const held = (): readonly Ticker[] => [...(world.view.positions.get(accountId)?.keys() ?? [])]
    for (const symbol of held()) await world.market.live?.waitForPrice(symbol)
    // All commands are submitted before the first await, so that no other command comes between them.
    const cancels: Promise<unknown>[] = []
    if (query.cancel_orders)
      for (const { id: orderId } of [...openOrdersOf(world.view, accountId)])
        cancels.push(world.commands.submit({ kind: 'cancelOrder', accountId, orderId }, () => undefined))
    const closings = held().map(async (symbol) => {
      const command = { kind: 'closePosition', accountId, symbol, part: { kind: 'all' } } as const
      const decision = await context.state.submit(world, command)
      return itemOf(symbol, decision)
    })
    await Promise.all(cancels)
    return Promise.all(closings)
  },

  exerciseOption: ({ params }) => {
    throw refuse({ code: 'longPositionNotFound', symbol: params.symbol_or_contract_id })
  },
  doNotExerciseOption: ({ params }) => {
    throw refuse({ code: 'longPositionNotFound', symbol: params.symbol_or_contract_id })
  },
} satisfies SomeHandlers

function namedAsset(world: World, name: string): Asset {
  const asset = assetNamed(world, name)
  if (!asset) throw refuse({ code: 'symbolNotFound', symbol: name })
  return asset
}

type PositionsParts = InputOf<'closePosition'>['query']

function partOf({ qty, percentage }: PositionsParts): ClosedPart {
  if (qty !== undefined) return { kind: 'quantity', quantity: toQuantity(amountOf(qty)) }
  if (percentage !== undefined) return { kind: 'percentage', percentage: amountOf(percentage) }
  return { kind: 'all' }
}

function itemOf(symbol: Ticker, decision: Decision): ClosedPositionRecord {
  if (decision.ok)
    return { symbol: positionSymbol(symbol), status: 200, body: orderToWire(acceptedIn(decision.value)) }
  const { reason } = refuseOrder(decision.reason)
  const { status, body } = errorResponse(reason.code, reason)
  return { symbol: positionSymbol(symbol), status, body }
}

function acceptedIn(events: readonly BrokerEvent[]): Order {
  for (const event of events) if (event.kind === 'orderAccepted') return event.order
  throw new Error('bug: a position was closed without an order')
}
