import type { AccountId, ActionId, JobId, KeyId, OrderId, RequestId, TokenId } from './ids.ts'
import type { ByKind } from './kinds.ts'
import { found } from './result.ts'
import { indexFor } from './sorted.ts'
import type { CivilDate, Instant } from './time.ts'

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
 * market, then expiries of orders; within each group in the order of scheduling. Orders are sets of their
 * existing ids: building a text key for each is slow, and a set is copied five times as fast as a map. Nearly
 * always one order at most has a step at an instant, so a single step needs no set.
 */
export type Slot = {
  others: Map<string, AgendaItem> | undefined
  /** The only step towards the market at this instant; with several, all are in `steps`. */
  step: OrderId | undefined
  steps: Set<OrderId> | undefined
  expiries: Set<OrderId> | undefined
}

/** Due times, ascending, and the slot of each at the same index. */
export type Agenda = { readonly dues: Instant[]; readonly slots: Slot[] }
export type AgendaView = { readonly dues: readonly Instant[]; readonly slots: readonly SlotView[] }
export type SlotView = {
  readonly others: ReadonlyMap<string, AgendaItem> | undefined
  readonly step: OrderId | undefined
  readonly steps: ReadonlySet<OrderId> | undefined
  readonly expiries: ReadonlySet<OrderId> | undefined
}

export const emptyAgenda = (): Agenda => ({ dues: [], slots: [] })

export function schedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) {
    agenda.dues.splice(index, 0, due)
    agenda.slots.splice(index, 0, {
      others: undefined,
      step: undefined,
      steps: undefined,
      expiries: undefined,
    })
  }
  const slot = agenda.slots[index]!
  if (item.kind === 'workOrder') addStep(slot, item.orderId)
  else if (item.kind === 'expireOrder') (slot.expiries ??= new Set()).add(item.orderId)
  else (slot.others ??= new Map()).set(keyOf(item), item)
}

function addStep(slot: Slot, orderId: OrderId): void {
  if (!slot.step && !slot.steps) {
    slot.step = orderId
    return
  }
  slot.steps ??= new Set()
  if (slot.step) slot.steps.add(slot.step)
  slot.step = undefined
  slot.steps.add(orderId)
}

export function unschedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) return
  const slot = agenda.slots[index]!
  if (item.kind === 'workOrder') {
    if (slot.step === item.orderId) slot.step = undefined
    else removeStep(slot, item.orderId)
  } else if (item.kind === 'expireOrder') slot.expiries = without(slot.expiries, item.orderId)
  else slot.others = without(slot.others, keyOf(item))
  if (slot.expiries || slot.step || slot.steps || slot.others) return
  agenda.dues.splice(index, 1)
  agenda.slots.splice(index, 1)
}

/** A single step that is left needs no set, so that a slot does not depend on its past contents. */
function removeStep(slot: Slot, removed: OrderId): void {
  slot.steps = without(slot.steps, removed)
  if (slot.steps?.size !== 1) return
  for (const orderId of slot.steps) slot.step = orderId
  slot.steps = undefined
}

/** Deletes an item; an empty group becomes undefined, so that a slot does not depend on its past contents. */
function without<Key, Group extends { readonly size: number; delete(key: Key): boolean }>(
  group: Group | undefined,
  key: Key,
): Group | undefined {
  group?.delete(key)
  return group?.size ? group : undefined
}

export function nextDue(
  agenda: AgendaView,
): { readonly due: Instant; readonly item: AgendaItem } | undefined {
  const due = agenda.dues[0]
  return due === undefined ? undefined : { due, item: firstOf(found(agenda.slots[0], 'an agenda slot')) }
}

/** Avoids a generator, because every order calls this. */
function firstOf({ others, step, steps, expiries }: SlotView): AgendaItem {
  if (others) for (const item of others.values()) return item
  if (step) return { kind: 'workOrder', orderId: step }
  if (steps) for (const orderId of steps) return { kind: 'workOrder', orderId }
  if (expiries) for (const orderId of expiries) return { kind: 'expireOrder', orderId }
  throw new Error('bug: an agenda slot is empty')
}

/** Items due at an instant, in order of execution. */
export function* itemsAt(agenda: AgendaView, due: Instant): Generator<AgendaItem> {
  const index = indexFor(agenda.dues, due)
  if (agenda.dues[index] !== due) return
  const { others, step, steps, expiries } = agenda.slots[index]!
  if (others) yield* others.values()
  if (step) yield { kind: 'workOrder', orderId: step }
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
