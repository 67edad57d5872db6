import type { AccountId, JobId, OrderId } from './ids.ts'
import { placeIn } from './sorted.ts'
import type { CivilDate, Instant } from './time.ts'

/**
 * What must happen later, by when it is due. It is written by `apply` alone, so a restart rebuilds it;
 * the world's clock reads it and submits each item as a command when its time has come.
 */
export type AgendaItem =
  | { readonly kind: 'workOrder'; readonly accountId: AccountId; readonly orderId: OrderId }
  | { readonly kind: 'expireOrder'; readonly accountId: AccountId; readonly orderId: OrderId }
  | { readonly kind: 'settleAccount'; readonly accountId: AccountId; readonly date: CivilDate }
  | { readonly kind: 'closeDay'; readonly date: CivilDate }
  | { readonly kind: 'runJob'; readonly jobId: JobId }

export type Agenda = { readonly dues: Instant[]; readonly items: Map<Instant, Map<string, AgendaItem>> }
export type AgendaView = {
  readonly dues: readonly Instant[]
  readonly items: ReadonlyMap<Instant, ReadonlyMap<string, AgendaItem>>
}

export const emptyAgenda = (): Agenda => ({ dues: [], items: new Map() })

export function schedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const there = agenda.items.get(due)
  if (there) there.set(nameOf(item), item)
  else {
    agenda.items.set(due, new Map<string, AgendaItem>().set(nameOf(item), item))
    agenda.dues.splice(placeIn(agenda.dues, due), 0, due)
  }
}

export function unschedule(agenda: Agenda, due: Instant, item: AgendaItem): void {
  const there = agenda.items.get(due)
  if (!there?.delete(nameOf(item)) || there.size > 0) return
  agenda.items.delete(due)
  agenda.dues.splice(placeIn(agenda.dues, due), 1)
}

/** The earliest item, with its time: first by due, then by when it was scheduled. */
export function nextDue(
  agenda: AgendaView,
): { readonly due: Instant; readonly item: AgendaItem } | undefined {
  const due = agenda.dues[0]
  if (due === undefined) return undefined
  const [item] = agenda.items.get(due)!.values()
  return { due, item: item! }
}

function nameOf(item: AgendaItem): string {
  switch (item.kind) {
    case 'workOrder':
    case 'expireOrder':
      return `${item.kind}/${item.orderId}`
    case 'settleAccount':
      return `${item.kind}/${item.accountId}/${item.date}`
    case 'closeDay':
      return `${item.kind}/${item.date}`
    case 'runJob':
      return `${item.kind}/${item.jobId}`
  }
}
