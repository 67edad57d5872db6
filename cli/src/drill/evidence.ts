import type { JournalEventRecord } from '@quipu/contract'
import type { Client } from '@quipu/sdk'
import { readJournal } from '../scenario/journal.ts'
import { type Observed, type ObservedPlacement, type ObservedRequest, updateKey } from './observe.ts'

/** An order of the journal. */
export type ObservedOrder = {
  readonly id: string
  readonly clientOrderId: string
  readonly symbol: string
  readonly side: string
  readonly quantity: string
  /** By the clock of the world. */
  readonly at: string
}

/** Something that happened to an order, and whether the program can know it. */
export type OrderUpdate = {
  readonly number: number
  readonly what: string
  readonly isKnown: boolean
}

/** What one run of the program did. */
export type Evidence = {
  /** Exit code; undefined if the program was stopped at its time limit. */
  readonly exit: number | undefined
  readonly seconds: number
  /** Whether the program ran until the end of its replay. Absent: it was not replayed. */
  readonly hasFinished?: boolean | undefined
  /** Whether the drill disturbed it. Absent: by faults alone. */
  readonly isDisturbed?: boolean | undefined
  readonly placements: readonly ObservedPlacement[]
  readonly requests: readonly ObservedRequest[]
  readonly orders: readonly ObservedOrder[]
  /** Shares bought less shares sold, by symbol. */
  readonly shares: ReadonlyMap<string, number>
  readonly updates: readonly OrderUpdate[]
  readonly hasStream: boolean
  /** How often the rules of the drill were applied, in order. */
  readonly consumed: readonly number[]
}

export type RunOutcome = Pick<Evidence, 'exit' | 'seconds' | 'hasFinished' | 'isDisturbed'> & {
  readonly world: string
  readonly accountId: string
  readonly observed: Observed
}

/** Reads the journal of a finished run. */
export async function evidenceOf(operator: Client, outcome: RunOutcome): Promise<Evidence> {
  const { world, accountId, observed, exit, seconds, hasFinished, isDisturbed } = outcome
  const { events } = await readJournal(operator, world)
  const own = events.filter(({ account_id }) => account_id === accountId)
  const orders = own.flatMap(orderIn)
  const rules = await operator.listFaults({ params: { world } })
  return {
    exit,
    seconds,
    hasFinished,
    isDisturbed,
    placements: observed.placements,
    requests: observed.requests,
    orders: orders.filter(({ isLeg }) => !isLeg),
    shares: sharesIn(own, orders),
    updates: own.flatMap((event) => updateIn(event, observed)),
    hasStream: observed.hasStream,
    consumed: rules.map(({ consumed }) => consumed),
  }
}

type AcceptedOrder = ObservedOrder & {
  readonly group?: { readonly parentId?: string }
  readonly replaces?: string
}

function orderIn({
  kind,
  event,
  at,
}: JournalEventRecord): readonly (ObservedOrder & { readonly isLeg: boolean })[] {
  if (kind !== 'orderAccepted') return []
  const { id, clientOrderId, symbol, side, quantity, group, replaces } = event['order'] as AcceptedOrder
  const isLeg = group?.parentId !== undefined || replaces !== undefined
  return [{ id, clientOrderId, symbol, side, quantity, at, isLeg }]
}

function sharesIn(
  events: readonly JournalEventRecord[],
  orders: readonly ObservedOrder[],
): ReadonlyMap<string, number> {
  const sides = new Map(orders.map(({ id, side }) => [id, side]))
  const shares = new Map<string, number>()
  for (const { kind, order_id, event } of events) {
    if (kind !== 'orderFilled') continue
    const { symbol, quantity } = event as { readonly symbol: string; readonly quantity: string }
    const signed = sides.get(order_id ?? '') === 'sell' ? -Number(quantity) : Number(quantity)
    shares.set(symbol, (shares.get(symbol) ?? 0) + signed)
  }
  return shares
}

/** Events that end an order or change a position, and the trade update of each. */
const updateOf: Readonly<Record<string, string>> = {
  orderFilled: 'fill',
  orderCanceled: 'canceled',
  orderExpired: 'expired',
  orderRejected: 'rejected',
}

function updateIn(
  { kind, number, order_id: orderId, event }: JournalEventRecord,
  { updates, seqRead }: Observed,
): readonly OrderUpdate[] {
  const name = updateOf[kind]
  if (name === undefined || orderId === undefined) return []
  const key = kind === 'orderFilled' ? String(event['executionId']) : updateKey(orderId, name)
  const what = `${name} of order ${orderId}`
  return [{ number, what, isKnown: seqRead >= number || updates.includes(key) }]
}
