import type { World } from '@quipu/broker/world/world.ts'
import { type ExplainedQuoteRecord, type ExplanationRecord, operationNamed } from '@quipu/contract'
import {
  type AccountId,
  format,
  formatInstant,
  instantOfMs,
  isOpen,
  NO_QUANTITY,
  type Order,
  type OrderId,
  type Quote,
} from '@quipu/core'
import { orderOf } from '../../wire/numbered-event.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { quoteNumbers } from './explain/acceptance.ts'
import { beginnings, counterfactual } from './explain/counterfactual.ts'
import { decisionSteps } from './explain/decisions.ts'
import {
  commandText,
  refusalCounterfactual,
  refusalMessage,
  refusalSteps,
  withoutUnknown,
} from './explain/refusal.ts'
import { responseText, termsText } from './explain/sentences.table.ts'
import {
  type ExplainedStep,
  type ExplainedWorld,
  explainStepAt,
  refusalStep,
  type Sight,
  written,
} from './explain/step.ts'
import { termsNumbers, termsOf } from './explain/terms.ts'
import { waitingSteps } from './explain/waiting.ts'
import { eventsOfOrder, type OrderEvents } from './order-events.ts'
import { readerOf } from './reader.ts'
import { eventsOfRequest } from './requests.ts'

export const explainHandlers = {
  async explainOrder({ params }, context) {
    const { world, accountId, sight } = explainerOf(context, params.world)
    const explained = await explainOrder(world, params.order_id, accountId, sight)
    if (!explained) throw refuse({ code: 'orderNotFound', id: params.order_id })
    return explained
  },

  async explainRequest({ params }, context) {
    const explained = await explainRequest(context, params.request_id, explainerOf(context, params.world))
    if (!explained) throw refuse({ code: 'requestNotFound', id: params.request_id })
    return explained
  },
} satisfies SomeHandlers

/** Whether an explanation has the texts of the caller that the world does not know. */
export type Texts = 'kept' | 'replaced'

/** The explanation of an order or a request, as an operator sees it; undefined if the world knows neither. */
export const explainAny = async (
  context: Context,
  world: World,
  id: string,
  texts: Texts,
): Promise<ExplanationRecord | undefined> =>
  (await explainOrder(world, id as OrderId, undefined, 'future')) ??
  explainRequest(context, id, { world, accountId: undefined, sight: 'future', texts })

type Explainer = {
  readonly world: World
  readonly accountId: AccountId | undefined
  readonly sight: Sight
  readonly texts: Texts
}

/** An operator sees every order and the future of the market; an account sees its own orders and the past. */
function explainerOf(context: Context, name: string): Explainer {
  const { world, limitedTo: accountId } = readerOf(context, name)
  return { world, accountId, sight: accountId === undefined ? 'future' : 'past', texts: 'kept' }
}

async function explainOrder(
  world: World,
  orderId: OrderId,
  accountId: AccountId | undefined,
  sight: Sight,
): Promise<ExplanationRecord | undefined> {
  const events = await eventsOfOrder(world, orderId, accountId)
  if (!events) return undefined
  const { order, own } = events
  const requestId = own[0]?.cause
  const missed = await counterfactual(world, events, sight)
  return {
    world: world.id,
    order_id: orderId,
    request_id: requestId,
    account_id: order.accountId,
    outcome: outcomeOf(order),
    summary: `${termsText(written(termsNumbers(termsOf(order))))}: ${statusText(order)}`,
    steps: [...decisionSteps(world, events), ...waitingSteps(world, order)],
    counterfactual: missed,
    quotes: quotesOf(world, events, missed),
  }
}

function outcomeOf(order: Order): ExplanationRecord['outcome'] {
  const { status } = order
  if (isOpen(order)) return 'open'
  return status as 'filled' | 'canceled' | 'expired' | 'replaced' | 'rejected'
}

function statusText(order: Order): string {
  const { filledQuantity, quantity } = order
  const filled =
    filledQuantity === NO_QUANTITY
      ? 'nothing filled'
      : `${format(filledQuantity)}${order.notional === undefined ? ` of ${format(quantity)}` : ''} filled`
  const outcome = outcomeOf(order)
  return outcome === 'filled' ? 'filled' : `${outcome}, ${filled}${outcome === 'open' ? ' yet' : ''}`
}

async function explainRequest(
  context: Context,
  requestId: string,
  explainer: Explainer,
): Promise<ExplanationRecord | undefined> {
  const { world, accountId, sight, texts } = explainer
  const stored = await world.clients.outcomes.refusalOf(requestId)
  const refused = stored && texts === 'replaced' ? withoutUnknown(world, stored) : stored
  // A stored refusal may be older than the database of the world.
  if (refused && world.view.accounts.has(refused.command.accountId)) {
    if (accountId !== undefined && refused.command.accountId !== accountId) return undefined
    return {
      world: world.id,
      request_id: requestId,
      account_id: refused.command.accountId,
      outcome: 'refused',
      summary: `${commandText(refused)}: refused, ${refusalMessage(refused)}`,
      steps: refusalSteps(world, refused),
      counterfactual: await refusalCounterfactual(world, refused, sight),
      quotes: [],
    }
  }
  const events = await eventsOfRequest(world, context, requestId)
  const orderId = events.map(({ event }) => orderOf(event)).find((id) => id !== undefined)
  const explained = orderId && (await explainOrder(world, orderId, accountId, sight))
  if (explained) return { ...explained, request_id: requestId }
  return explainResponse(context, requestId, explainer)
}

/** Explains a request without a decision about an order by its response. */
function explainResponse(
  { services }: Context,
  requestId: string,
  { world, accountId, texts }: Explainer,
): ExplanationRecord | undefined {
  const [, logged] =
    services.monitoring.requests.of(world).findLast((request) => request.requestId === requestId) ?? []
  if (!logged || (accountId !== undefined && logged.accountId !== accountId)) return undefined
  const { method, status, code, reason, operation, atMs } = logged
  // A path may have ids and symbols as the caller wrote them.
  const path = texts === 'kept' ? logged.path : (operationNamed(operation)?.path ?? '')
  const at = instantOfMs(Math.floor(atMs))
  const answered = responseText(status?.toString())
  const numbers = { operation, method, path, status, code, reason }
  return {
    world: world.id,
    request_id: requestId,
    account_id: logged.accountId,
    outcome: reason === undefined ? 'done' : 'refused',
    summary: `${method} ${path}: ${answered}${reason === undefined ? '' : `, ${reason}`}`,
    steps: [
      reason === undefined
        ? explainStepAt(at, 'answered', numbers)
        : refusalStep(formatInstant(at), reason, numbers),
    ],
    counterfactual: [],
    quotes: [],
  }
}

/** The quotes that concern an order: when it reached the market, those that filled it, and the closest that missed it. */
function quotesOf(
  world: ExplainedWorld,
  { order, own }: OrderEvents,
  counterfactual: readonly ExplainedStep[],
): ExplainedQuoteRecord[] {
  const began = own.findLast(({ event }) => beginnings.has(event.kind))
  const arrival =
    began && !world.market.live ? world.market.pricesAt(began.event.at).quote(order.symbol) : undefined
  const quotes = arrival
    ? [quoteToWire(order, 'arrival', written(quoteNumbers(arrival)), missedBy(order, arrival))]
    : []
  for (const { event } of own)
    if (event.kind === 'orderFilled') {
      const filled_qty = format(event.quantity)
      quotes.push({ ...quoteToWire(order, 'fill', written(quoteNumbers(event.quote))), filled_qty })
    }
  const closest = counterfactual.find(({ code }) => code === 'limitInLife')?.numbers
  if (closest?.['ask']) quotes.push(quoteToWire(order, 'closest', closest, closest['missed_by']))
  return quotes.sort((a, b) => (a.at < b.at ? -1 : 1))
}

/** The distance between a quote and the limit that it does not reach. */
function missedBy({ side, limit }: Order, { bid, ask }: Quote): string | undefined {
  if (limit === undefined) return undefined
  const distance = side === 'buy' ? ask - limit : limit - bid
  return distance > 0n ? format(distance) : undefined
}

function quoteToWire(
  { side }: Order,
  relation: ExplainedQuoteRecord['relation'],
  { bid = '', ask = '', bid_size = '', ask_size = '', quote_at = '' }: { readonly [name: string]: string },
  missed_by?: string,
): ExplainedQuoteRecord {
  const [price, size] = side === 'buy' ? [ask, ask_size] : [bid, bid_size]
  return { at: quote_at, relation, price, size, bid, bid_size, ask, ask_size, missed_by }
}
