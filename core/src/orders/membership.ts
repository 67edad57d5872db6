import type { OrderId } from '../ids.ts'
import type { State } from '../state.ts'
import { groupOf } from './groups.ts'
import type { Group, Order } from './order.ts'
import { isOpen } from './transitions.ts'

/** Enters an accepted order among the open members of its group, in the place of the one it replaces, if any. */
export function joinGroup(state: State, order: Order): void {
  const name = groupOf(order)!
  const { replaces } = order
  if (replaces !== undefined && name === order.id) succeedParent(state, order, replaces)
  else if (replaces !== undefined) nameLeg(state, name, replaces, order.id)
  let members = state.groups.get(name)
  if (!members) state.groups.set(name, (members = new Set()))
  members.add(order.id)
}

export function leaveGroup(state: State, order: Order): void {
  const name = groupOf(order)!
  const members = state.groups.get(name)
  members?.delete(order.id)
  if (members?.size === 0) state.groups.delete(name)
}

/** The legs of a parent that was replaced belong to the new one. */
function succeedParent(state: State, parent: Order, before: OrderId): void {
  const legs = state.groups.get(before)
  state.groups.delete(before)
  for (const id of legs ?? []) {
    const leg = state.orders.get(id)
    if (leg?.group) state.orders.set(id, { ...leg, group: { ...leg.group, parentId: parent.id } })
  }
  if (legs) state.groups.set(parent.id, legs)
}

/** An open parent names the legs it has now. */
function nameLeg(state: State, parentId: OrderId, before: OrderId, after: OrderId): void {
  const parent = state.orders.get(parentId)
  if (!parent?.group?.legIds || !isOpen(parent)) return
  const legIds = parent.group.legIds.map((id) => (id === before ? after : id))
  const group: Group = { ...parent.group, legIds }
  state.orders.set(parentId, { ...parent, group })
}
