import { computed, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { useEffect } from 'preact/hooks'
import { namesOf } from '../../../live/assets.ts'
import { current } from '../../../live/current.ts'
import { toast } from '../../../parts/toasts.tsx'
import { remembered } from '../../../session/remembered.ts'
import { api } from '../../../session/selection.ts'

type ListHead = Output<'listWatchlists'>[number]
type List = Output<'getWatchlist'>

/** What an account without a watchlist sees, beside what it holds. */
const wellKnown = [
  ...['AAPL', 'MSFT', 'NVDA', 'AMZN', 'GOOGL', 'META', 'TSLA', 'JPM', 'KO', 'SPY', 'QQQ'],
  ...['BTC/USD', 'ETH/USD'],
]
const FIRST_NAME = 'Watchlist'

export const lists = signal<readonly ListHead[] | undefined>(undefined)
export const listProblem = signal<Error | undefined>(undefined)
/** The list on screen; undefined while it is read, null if the account has none. */
export const shownList = signal<List | null | undefined>(undefined)

/** The list that the person looked at last. The accounts of worlds with the same seed have the same ids. */
const chosenId = remembered<string>('watchlist', '', (stored) =>
  typeof stored === 'string' ? stored : undefined,
)

/** The symbols of the list in their order; undefined while they are read. */
export const watchedSymbols = computed<readonly string[] | undefined>(() => {
  const list = shownList.value
  if (list) return (list.assets ?? []).map(({ symbol }) => symbol)
  const names = api.value && namesOf(api.value).value
  const positions = current.value?.store.positions.value
  if (list === undefined || !names || names.size === 0 || positions === undefined) return undefined
  const held = positions.map(({ symbol }) => assetSymbol(symbol, names))
  return [...new Set([...held, ...wellKnown.filter((symbol) => names.has(symbol))])]
})

/** Positions in crypto have no slash in their symbol. */
const assetSymbol = (symbol: string, names: ReadonlyMap<string, string>): string =>
  names.has(symbol) ? symbol : symbol.replace(/(USDT|USDC|USD|BTC)$/, '/$1')

/** Reads the lists of the account on screen, and again when the viewer returns to the page. */
export function useWatchlists(): void {
  const connection = api.value
  const staleSince = current.value?.store.orderStream.staleSince.value
  useEffect(() => {
    shownList.value = undefined
    lists.value = undefined
  }, [connection])
  useEffect(() => {
    if (!connection || staleSince !== undefined) return undefined
    const read = () => void readLists()
    read()
    addEventListener('focus', read)
    return () => removeEventListener('focus', read)
  }, [connection, staleSince])
}

export async function readLists(): Promise<void> {
  const connection = api.peek()
  if (!connection) return
  try {
    const all = await connection.client.listWatchlists()
    const head = all.find(({ id }) => id === chosenId.value) ?? all[0]
    const list = head ? await connection.client.getWatchlist({ params: { id: head.id } }) : null
    if (api.peek() !== connection) return
    lists.value = all
    shownList.value = list
    listProblem.value = undefined
  } catch (error) {
    listProblem.value = error as Error
  }
}

export function chooseList(id: string): void {
  chosenId.set(id)
  void readLists()
}

/** Replaces the symbols of the list. An account without a list gets its first one. */
async function writeSymbols(symbols: readonly string[]): Promise<void> {
  const connection = api.peek()
  const list = shownList.peek()
  if (!connection || list === undefined) return
  const before = list
  // The rows move at once; a refusal puts them back.
  if (list) shownList.value = { ...list, assets: ordered(list, symbols) }
  try {
    const body = { symbols: [...symbols] }
    shownList.value = list
      ? await connection.client.updateWatchlist({ params: { id: list.id }, body })
      : await connection.client.createWatchlist({ body: { name: FIRST_NAME, ...body } })
    if (!list) await readLists()
  } catch (error) {
    shownList.value = before
    toast(`The watchlist was not changed: ${(error as Error).message}`)
  }
}

const ordered = (list: List, symbols: readonly string[]): NonNullable<List['assets']> =>
  symbols.flatMap((symbol) => list.assets?.find((one) => one.symbol === symbol) ?? [])

export const addSymbol = (symbol: string): Promise<void> =>
  writeSymbols([...(watchedSymbols.peek() ?? []).filter((one) => one !== symbol), symbol])

export const removeSymbol = (symbol: string): Promise<void> =>
  writeSymbols((watchedSymbols.peek() ?? []).filter((one) => one !== symbol))

/** Moves a symbol up or down by some rows. */
export function moveSymbol(symbol: string, rows: number): Promise<void> {
  const symbols = [...(watchedSymbols.peek() ?? [])]
  const at = symbols.indexOf(symbol)
  const to = Math.min(Math.max(at + rows, 0), symbols.length - 1)
  if (at < 0 || at === to) return Promise.resolve()
  symbols.splice(to, 0, ...symbols.splice(at, 1))
  return writeSymbols(symbols)
}

export async function createList(name: string): Promise<void> {
  const connection = api.peek()
  if (!connection) return
  try {
    const made = await connection.client.createWatchlist({ body: { name, symbols: [] } })
    chooseList(made.id)
  } catch (error) {
    toast(`No watchlist was created: ${(error as Error).message}`)
  }
}

export async function deleteList(id: string): Promise<void> {
  await api
    .peek()
    ?.client.deleteWatchlist({ params: { id } })
    .catch((error: Error) => toast(`The watchlist was not deleted: ${error.message}`))
  await readLists()
}
