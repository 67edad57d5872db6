import type { CivilDate } from './civil-date.ts'
import type { AccountId, ActionId, JobId, KeyId, OrderId, RequestId, TokenId } from './ids.ts'
import type { ByKind } from './kinds.ts'
import { found } from './result.ts'
import { indexFor, insertAt, removeAt } from './sorted.ts'
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
 * market, then expiries of orders; within each group in the order of scheduling. A group is created with its first
 * item, because most slots have one.
 */
export type Slot = {
  others: Map<string, AgendaItem> | undefined
  steps: Set<OrderId> | undefined
  expiries: Set<OrderId> | undefined
}

/** Due times, ascending, and the slot of each at the same index. */
export type Agenda = { readonly dues: Instant[]; readonly slots: Slot[] }
export type AgendaView = { readonly dues: readonly Instant[]; readonly slots: readonly SlotView[] }
export type SlotView = {
  readonly others: ReadonlyMap<string, AgendaItem> | undefined
  readonly steps: ReadonlySet<OrderId> | undefined
  readonly expiries: ReadonlySet<OrderId> | undefined
}

export const emptyAgenda = (): Agenda => ({ dues: [], slots: [] })

export function schedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) {
    insertAt(agenda.dues, index, due)
    insertAt(agenda.slots, index, { others: undefined, steps: undefined, expiries: undefined })
  }
  const slot = found(agenda.slots[index], 'an agenda slot')
  if (item.kind === 'workOrder') (slot.steps ??= new Set()).add(item.orderId)
  else if (item.kind === 'expireOrder') (slot.expiries ??= new Set()).add(item.orderId)
  else (slot.others ??= new Map()).set(keyOf(item), item)
}

export function unschedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) return
  const slot = found(agenda.slots[index], 'an agenda slot')
  if (item.kind === 'workOrder') slot.steps = without(slot.steps, item.orderId)
  else if (item.kind === 'expireOrder') slot.expiries = without(slot.expiries, item.orderId)
  else slot.others = without(slot.others, keyOf(item))
  if (slot.others || slot.steps || slot.expiries) return
  removeAt(agenda.dues, index)
  removeAt(agenda.slots, index)
}

type Group<Key> = { readonly size: number; delete(key: Key): boolean }

/** An empty group is forgotten, so that a slot does not depend on its past contents. */
function without<Key, Items extends Group<Key>>(items: Items | undefined, key: Key): Items | undefined {
  items?.delete(key)
  return items?.size === 0 ? undefined : items
}

export function nextDue(
  agenda: AgendaView,
): { readonly due: Instant; readonly item: AgendaItem } | undefined {
  const due = agenda.dues[0]
  return due === undefined ? undefined : { due, item: firstIn(found(agenda.slots[0], 'an agenda slot')) }
}

/** The first item of a slot, without a generator, because every order calls this. */
function firstIn({ others, steps, expiries }: SlotView): AgendaItem {
  for (const item of others?.values() ?? []) return item
  for (const orderId of steps ?? []) return { kind: 'workOrder', orderId }
  for (const orderId of expiries ?? []) return { kind: 'expireOrder', orderId }
  throw new Error('bug: an agenda slot is empty')
}

/** Items due at an instant, in order of execution. */
export function* itemsAt(agenda: AgendaView, due: Instant): Generator<AgendaItem> {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) return
  const { others, steps, expiries } = found(agenda.slots[index], 'an agenda slot')
  yield* others?.values() ?? []
  for (const orderId of steps ?? []) yield { kind: 'workOrder', orderId }
  for (const orderId of expiries ?? []) yield { kind: 'expireOrder', orderId }
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
