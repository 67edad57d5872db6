import type { ExplanationRecord, Handlers } from '@quipu/contract'
import { type AccountId, format, isOpen, NO_QUANTITY, type Order, type OrderId } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'
import { counterfactual } from './explain/counterfactual.ts'
import { lifeSteps } from './explain/life.ts'
import { commandText, messageOf, refusalCounterfactual, refusalSteps } from './explain/refusal.ts'
import type { Sight } from './explain/sight.ts'
import { termsOf, termsText } from './explain/terms.ts'
import { waitingSteps } from './explain/waiting.ts'
import { eventsOfOrder } from './order-events.ts'
import { worldOf } from './readers.ts'
import { eventsOfRequest } from './requests.ts'
import { orderOf } from './seen.ts'

export const explainHandlers: Pick<Handlers<Context>, 'explainOrder' | 'explainRequest'> = {
  async explainOrder({ params }, context) {
    const { world, accountId, sight } = reader(context, params.world)
    const explained = await explainOrder(world, params.order_id as OrderId, accountId, sight)
    if (!explained) throw refuse({ code: 'orderNotFound', id: params.order_id })
    return explained
  },

  async explainRequest({ params }, context) {
    const { world, accountId, sight } = reader(context, params.world)
    const explained = await explainRequest(context, world, params.request_id, accountId, sight)
    if (!explained) throw refuse({ code: 'requestNotFound', id: params.request_id })
    return explained
  },
}

type Reader = { readonly world: World; readonly accountId: AccountId | undefined; readonly sight: Sight }

/** An operator sees every order of every world; an account its own, and nothing of what is still to come. */
function reader(context: Context, name: string): Reader {
  const { caller } = context
  if (caller?.kind !== 'account')
    return { world: worldOf(context, name), accountId: undefined, sight: 'future' }
  if (caller.world.id !== name) throw refuse({ code: 'worldNotFound', world: name })
  return { world: caller.world, accountId: caller.accountId, sight: 'past' }
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
  const placing = own[0]?.cause
  return {
    world: world.id,
    order_id: orderId,
    ...(placing !== undefined && { request_id: placing }),
    account_id: order.accountId,
    outcome: outcomeOf(order),
    summary: `${termsText(termsOf(order))}: ${standingText(order)}`,
    steps: [...lifeSteps(world, events), ...waitingSteps(world, order)],
    counterfactual: await counterfactual(world, events, sight),
  }
}

function outcomeOf(order: Order): ExplanationRecord['outcome'] {
  const { status } = order
  if (isOpen(order)) return 'open'
  return status as 'filled' | 'canceled' | 'expired' | 'replaced'
}

function standingText(order: Order): string {
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
  world: World,
  requestId: string,
  accountId: AccountId | undefined,
  sight: Sight,
): Promise<ExplanationRecord | undefined> {
  const refused = world.outcomes.refusalOf(requestId)
  if (refused) {
    if (accountId !== undefined && refused.command.accountId !== accountId) return undefined
    return {
      world: world.id,
      request_id: requestId,
      account_id: refused.command.accountId,
      outcome: 'refused',
      summary: `${commandText(refused)}: refused, ${messageOf(refused)}`,
      steps: refusalSteps(world, refused),
      counterfactual: await refusalCounterfactual(world, refused, sight),
    }
  }
  const events = await eventsOfRequest(world, context, requestId)
  const orderId = events.map(({ event }) => orderOf(event)).find((id) => id !== undefined)
  const explained = orderId && (await explainOrder(world, orderId, accountId, sight))
  if (explained) return { ...explained, request_id: requestId }
  return explainAnswer(context, world, requestId, accountId)
}

/** A request that never became a decision about an order: all that is known is how it was answered. */
function explainAnswer(
  { services }: Context,
  world: World,
  requestId: string,
  accountId: AccountId | undefined,
): ExplanationRecord | undefined {
  const [, kept] = services.requests.of(world).findLast((request) => request.requestId === requestId) ?? []
  if (!kept || (accountId !== undefined && kept.accountId !== accountId)) return undefined
  const { method, path, status, code, reason, operation } = kept
  const answered = status === undefined ? 'the connection was closed without an answer' : `answered ${status}`
  const why = reason === undefined ? '' : `, ${reason}`
  const isRefused = reason !== undefined
  const numbers = {
    operation,
    ...(status !== undefined && { status: `${status}` }),
    ...(code !== undefined && { code: `${code}` }),
  }
  const sentence = isRefused
    ? `${method} ${path} was ${answered}${why}, before any rule about orders was looked at.`
    : `${method} ${path} was ${answered}; it placed no order.`
  return {
    world: world.id,
    request_id: requestId,
    ...(kept.accountId !== undefined && { account_id: kept.accountId }),
    outcome: isRefused ? 'refused' : 'done',
    summary: `${method} ${path}: ${answered}${why}`,
    steps: [{ code: reason ?? 'answered', at: new Date(kept.atMs).toISOString(), numbers, sentence }],
    counterfactual: [],
  }
}
