import { computed, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { place } from '../router.ts'
import { type Connection, connect } from './connections.ts'
import { accountKey, closedAccounts, isOperator, session } from './session.ts'

export type World = Output<'listWorlds'>[number]
export type ChosenAccount = {
  readonly id: string
  readonly number: string
  readonly flavour: 'live' | 'paper'
}

/** All worlds; undefined while they are not known, and for viewers without operator rights. */
export const worlds = signal<readonly World[] | undefined>(undefined)

/** The name of the world that the screens show. */
export const worldName = computed(() => place.value.query.get('world') ?? session.value?.world ?? 'main')

/** The world, if its settings are known. */
export const world = computed(() => worlds.value?.find((one) => one.world === worldName.value))

/** Whether the viewer may see the world; true while the worlds are not known. */
export const isWorldKnown = computed(() =>
  isOperator.value
    ? worlds.value === undefined || world.value !== undefined
    : worldName.value === session.value?.world,
)

/** The accounts of the world that the viewer may see, also those that were closed meanwhile. */
const allAccounts = computed<readonly ChosenAccount[]>(() => {
  const known = session.value
  if (!known) return []
  // An operator sees all accounts of another world; at home a person sees the own ones.
  if (worldName.value === known.world)
    return known.accounts.map(({ id, account_number: number, flavour }) => ({ id, number, flavour }))
  return (world.value?.accounts ?? []).map(({ account_id: id, account_number: number, flavour }) => ({
    id,
    number,
    flavour,
  }))
})

const isClosed = ({ id }: ChosenAccount): boolean => closedAccounts.value.has(accountKey(worldName.value, id))

/** The open accounts of the world that the viewer may see. */
export const accounts = computed(() => allAccounts.value.filter((one) => !isClosed(one)))
/** The accounts that were closed while the page was open. */
export const endedAccounts = computed(() => allAccounts.value.filter(isClosed))

export const account = computed<ChosenAccount | undefined>(() => {
  const number = place.value.query.get('account')
  return accounts.value.find((one) => one.number === number) ?? accounts.value[0]
})

/** Whether the viewer has no account in the world; false while that is not known. */
export const isAccountMissing = computed(
  () =>
    account.value === undefined &&
    (!isOperator.value || worldName.value === session.value?.world || worlds.value !== undefined),
)

/** The API for the chosen account; undefined if there is none. */
export const api = computed<Connection | undefined>(
  () => account.value && connect({ kind: 'account', world: worldName.value, accountId: account.value.id }),
)
