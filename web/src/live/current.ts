import { effect, signal, untracked } from '@preact/signals'
import { api } from '../session/selection.ts'
import { type AccountStore, createAccountStore } from './account-store.ts'
import { LiveMarket } from './market.ts'

/** The live data of the chosen account. */
export type Current = { readonly store: AccountStore; readonly market: LiveMarket }

export const current = signal<Current | undefined>(undefined)

/** Whether the numbers of the account, and what else is read from the server, cannot be current. */
export const isStale = (): boolean => current.value?.store.orderStream.isStale.value ?? false

/** Opens the live data of the chosen account, and closes those of the one before. */
export function followSelection(): void {
  effect(() => {
    const connection = api.value
    if (connection === undefined) {
      current.value = undefined
      return undefined
    }
    const store = createAccountStore(connection)
    const opened = { store, market: new LiveMarket(store) }
    untracked(() => opened.store.stream.open())
    current.value = opened
    return () => {
      opened.store.stream.close()
      opened.market.close()
    }
  })
}
