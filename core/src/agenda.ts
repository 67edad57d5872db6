import type { AccountId, ActionId, JobId, KeyId, OrderId, RequestId, TokenId } from './ids.ts'
import { indexFor, insertAt, removeAt } from './sorted.ts'
import type { CivilDate, Instant } from './time.ts'

/**
 * Work scheduled for later, by due time. Only `apply` writes it, so a restart rebuilds it. The world's clock
 * reads it and submits each item as a command when it is due.
 */
export type AgendaItem =
  | { readonly kind: 'workOrder'; readonly accountId: AccountId; readonly orderId: OrderId }
  | { readonly kind: 'expireOrder'; readonly accountId: AccountId; readonly orderId: OrderId }
  | { readonly kind: 'settleAccount'; readonly accountId: AccountId; readonly date: CivilDate }
  | { readonly kind: 'closeDay'; readonly date: CivilDate }
  | { readonly kind: 'runAction' | 'payDividend'; readonly actionId: ActionId }
  | { readonly kind: 'runJob'; readonly jobId: JobId }
  | { readonly kind: 'expireToken'; readonly tokenId: TokenId }
  | { readonly kind: 'expireKey'; readonly keyId: KeyId }
  | { readonly kind: 'settleRedeem' | 'giveUpRequest'; readonly requestId: RequestId }

/**
 * Items due at one instant, in order of execution: items without an order, then orders that move towards the
 * market, then orders that expire; within each group in the order of scheduling. Orders are keyed by their
 * existing ids, because building a text key for each is slow. An order on its way is nearly always alone at
 * its instant, so it needs no map.
 */
export type Slot = {
  others: Map<string, AgendaItem> | undefined
  work: WorkItem | undefined
  works: Map<OrderId, AccountId> | undefined
  ends: Map<OrderId, AccountId> | undefined
}
type WorkItem = Extract<AgendaItem, { readonly kind: 'workOrder' }>

/** Due times, ascending, and the slot of each at the same index. */
export type Agenda = { readonly dues: Instant[]; readonly slots: Slot[] }
export type AgendaView = { readonly dues: readonly Instant[]; readonly slots: readonly SlotView[] }
export type SlotView = {
  readonly others: ReadonlyMap<string, AgendaItem> | undefined
  readonly work: WorkItem | undefined
  readonly works: ReadonlyMap<OrderId, AccountId> | undefined
  readonly ends: ReadonlyMap<OrderId, AccountId> | undefined
}

export const emptyAgenda = (): Agenda => ({ dues: [], slots: [] })

export function schedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const place = indexFor(agenda.dues, due)
  if (agenda.dues[place] !== due) {
    insertAt(agenda.dues, place, due)
    insertAt(agenda.slots, place, { others: undefined, work: undefined, works: undefined, ends: undefined })
  }
  const slot = agenda.slots[place]!
  if (item.kind === 'workOrder') addWork(slot, item)
  else if (item.kind === 'expireOrder') (slot.ends ??= new Map()).set(item.orderId, item.accountId)
  else (slot.others ??= new Map()).set(nameOf(item), item)
}

function addWork(slot: Slot, item: WorkItem): void {
  if (!slot.work && !slot.works) {
    slot.work = item
    return
  }
  slot.works ??= new Map()
  if (slot.work) slot.works.set(slot.work.orderId, slot.work.accountId)
  slot.work = undefined
  slot.works.set(item.orderId, item.accountId)
}

export function unschedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const place = indexFor(agenda.dues, due)
  if (agenda.dues[place] !== due) return
  const slot = agenda.slots[place]!
  if (item.kind === 'workOrder') {
    if (slot.work?.orderId === item.orderId) slot.work = undefined
    else slot.works = without(slot.works, item.orderId)
  } else if (item.kind === 'expireOrder') slot.ends = without(slot.ends, item.orderId)
  else slot.others = without(slot.others, nameOf(item))
  if (slot.ends || slot.work || slot.works || slot.others) return
  removeAt(agenda.dues, place)
  removeAt(agenda.slots, place)
}

/** Deletes a key; an empty map becomes undefined, so that a slot does not depend on its past contents. */
function without<Key, Value>(map: Map<Key, Value> | undefined, key: Key): Map<Key, Value> | undefined {
  map?.delete(key)
  return map?.size ? map : undefined
}

export function nextDue(
  agenda: AgendaView,
): { readonly due: Instant; readonly item: AgendaItem } | undefined {
  const due = agenda.dues[0]
  if (due === undefined) return undefined
  return { due, item: firstOf(agenda.slots[0]!) }
}

/** Avoids a generator, because every order calls this. */
function firstOf({ others, work, works, ends }: SlotView): AgendaItem {
  if (others) for (const item of others.values()) return item
  if (work) return work
  for (const [orderId, accountId] of works ?? ends!)
    return { kind: works ? 'workOrder' : 'expireOrder', accountId, orderId }
  throw new Error('bug: an agenda slot is empty')
}

/** Items due at an instant, in order of execution. */
export function* itemsAt(agenda: AgendaView, due: Instant): Generator<AgendaItem> {
  const place = indexFor(agenda.dues, due)
  if (agenda.dues[place] !== due) return
  const { others, work, works, ends } = agenda.slots[place]!
  if (others) yield* others.values()
  if (work) yield work
  for (const [orderId, accountId] of works ?? []) yield { kind: 'workOrder', accountId, orderId }
  for (const [orderId, accountId] of ends ?? []) yield { kind: 'expireOrder', accountId, orderId }
}

function nameOf(item: Exclude<AgendaItem, { readonly orderId: OrderId }>): string {
  switch (item.kind) {
    case 'settleAccount':
      return `${item.kind}/${item.accountId}/${item.date}`
    case 'closeDay':
      return `${item.kind}/${item.date}`
    case 'runAction':
    case 'payDividend':
      return `${item.kind}/${item.actionId}`
    case 'runJob':
      return `${item.kind}/${item.jobId}`
    case 'expireToken':
      return `${item.kind}/${item.tokenId}`
    case 'expireKey':
      return `${item.kind}/${item.keyId}`
    case 'settleRedeem':
    case 'giveUpRequest':
      return `${item.kind}/${item.requestId}`
  }
}
