import type { CivilDate } from './civil-date.ts'
import type { AccountId, ActionId, JobId, KeyId, OrderId, RequestId, TokenId } from './ids.ts'
import type { ByKind } from './kinds.ts'
import { found } from './result.ts'
import { indexFor } from './sorted.ts'
import type { Instant } from './time.ts'

/**
 * Work scheduled for later, by due time. Only `apply` writes it, so a restart rebuilds it. The world's clock
 * reads it and submits each item as a command when it is due.
 */
export type AgendaItem = ByKind<{
  workOrder: { readonly orderId: OrderId }
  expireOrder: { readonly orderId: OrderId }
  settleAccount: { readonly accountId: AccountId; readonly date: CivilDate }
  closeDay: { readonly date: CivilDate }
  runAction: { readonly actionId: ActionId }
  payDividend: { readonly actionId: ActionId }
  runJob: { readonly jobId: JobId }
  expireToken: { readonly tokenId: TokenId }
  expireKey: { readonly keyId: KeyId }
  settleRedeem: { readonly requestId: RequestId }
  giveUpRequest: { readonly requestId: RequestId }
  enforceCall: { readonly accountId: AccountId }
}>

/**
 * Items due at one instant, in order of execution: items without an order, then steps of orders towards the
 * market, then expiries of orders; within each group in the order of scheduling.
 */
export type Slot = {
  readonly others: Map<string, AgendaItem>
  readonly steps: Set<OrderId>
  readonly expiries: Set<OrderId>
}

/** Due times, ascending, and the slot of each at the same index. */
export type Agenda = { readonly dues: Instant[]; readonly slots: Slot[] }
export type AgendaView = { readonly dues: readonly Instant[]; readonly slots: readonly SlotView[] }
export type SlotView = {
  readonly others: ReadonlyMap<string, AgendaItem>
  readonly steps: ReadonlySet<OrderId>
  readonly expiries: ReadonlySet<OrderId>
}

export const emptyAgenda = (): Agenda => ({ dues: [], slots: [] })

export function schedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) {
    agenda.dues.splice(index, 0, due)
    agenda.slots.splice(index, 0, { others: new Map(), steps: new Set(), expiries: new Set() })
  }
  const { others, steps, expiries } = found(agenda.slots[index], 'an agenda slot')
  if (item.kind === 'workOrder') steps.add(item.orderId)
  else if (item.kind === 'expireOrder') expiries.add(item.orderId)
  else others.set(keyOf(item), item)
}

export function unschedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) return
  const { others, steps, expiries } = found(agenda.slots[index], 'an agenda slot')
  if (item.kind === 'workOrder') steps.delete(item.orderId)
  else if (item.kind === 'expireOrder') expiries.delete(item.orderId)
  else others.delete(keyOf(item))
  if (others.size + steps.size + expiries.size > 0) return
  agenda.dues.splice(index, 1)
  agenda.slots.splice(index, 1)
}

export function nextDue(
  agenda: AgendaView,
): { readonly due: Instant; readonly item: AgendaItem } | undefined {
  const due = agenda.dues[0]
  if (due === undefined) return undefined
  const [item] = itemsAt(agenda, due)
  return { due, item: found(item, 'an agenda item') }
}

/** Items due at an instant, in order of execution. */
export function* itemsAt(agenda: AgendaView, due: Instant): Generator<AgendaItem> {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) return
  const { others, steps, expiries } = found(agenda.slots[index], 'an agenda slot')
  yield* others.values()
  for (const orderId of steps) yield { kind: 'workOrder', orderId }
  for (const orderId of expiries) yield { kind: 'expireOrder', orderId }
}

/** Checks that every record with an expiry has exactly one item, at that time. */
export function expiryFaults<Id extends string>(
  agenda: AgendaView,
  name: string,
  records: ReadonlyMap<Id, { readonly id: Id; readonly expiresAt?: Instant }>,
  idOf: (item: AgendaItem) => Id | undefined,
): string[] {
  const expiries = new Map<Id, Instant>()
  const faults: string[] = []
  for (const due of agenda.dues)
    for (const item of itemsAt(agenda, due)) {
      const id = idOf(item)
      if (id === undefined) continue
      if (expiries.has(id)) faults.push(`${name} ${id} expires twice on the agenda`)
      expiries.set(id, due)
      if (!records.has(id)) faults.push(`the agenda expires ${id}, which does not exist`)
    }
  for (const { id, expiresAt } of records.values())
    if (expiries.get(id) !== expiresAt) faults.push(`${name} ${id} is not on the agenda at its expiry`)
  return faults
}

/** The kind and the ids, in the alphabetical order of their names. */
const keyOf = ({ kind, ...ids }: Exclude<AgendaItem, { readonly orderId: OrderId }>): string => {
  const sorted = Object.entries(ids).sort(([a], [b]) => (a < b ? -1 : 1))
  return [kind, ...sorted.map(([, id]) => id)].join('/')
}
