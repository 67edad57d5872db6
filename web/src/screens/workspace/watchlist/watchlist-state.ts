import { computed, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { useEffect } from 'preact/hooks'
import { namesOf } from '../../../live/assets.ts'
import { current } from '../../../live/current.ts'
import { toast } from '../../../parts/toasts.tsx'
import type { Connection } from '../../../session/connections.ts'
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

/** The symbols after the changes that the server has not confirmed yet. */
const wanted = signal<readonly string[] | undefined>(undefined)

/** The symbols of the list in their order; undefined while they are read. */
export const watchedSymbols = computed<readonly string[] | undefined>(() => {
  if (wanted.value) return wanted.value
  const list = shownList.value
  if (list) return symbolsOf(list)
  const names = api.value && namesOf(api.value).value
  const positions = current.value?.store.positions.value
  if (list === undefined || !names || names.size === 0 || positions === undefined) return undefined
  const held = positions.map(({ symbol }) => assetSymbol(symbol, names))
  return [...new Set([...held, ...wellKnown.filter((symbol) => names.has(symbol))])]
})

const symbolsOf = (list: List): readonly string[] => (list.assets ?? []).map(({ symbol }) => symbol)

/** Positions in crypto have no slash in their symbol. */
const assetSymbol = (symbol: string, names: ReadonlyMap<string, string>): string =>
  names.has(symbol) ? symbol : symbol.replace(/(USDT|USDC|USD|BTC)$/, '/$1')

/** Reads the lists of the account on screen, and again when the viewer returns to the page. */
export function useWatchlists(): void {
  const connection = api.value
  const staleSince = current.value?.store.orderStream.staleSince.value
  useEffect(() => {
    wanted.value = undefined
    shownList.value = undefined
    lists.value = undefined
  }, [connection])
  useEffect(() => {
    if (!connection || staleSince !== undefined) return undefined
    const read = () => void readLists()
    read()
    addEventListener('focus', read)
    channel.addEventListener('message', read)
    return () => {
      removeEventListener('focus', read)
      channel.removeEventListener('message', read)
    }
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

/** A change of the symbols of a list, such as one symbol more. */
type Change = (symbols: readonly string[]) => readonly string[]

let writing: Promise<void> = Promise.resolve()

/** Changes the symbols: on screen at once, on the server one change after the other. */
function change(changed: Change): Promise<void> {
  const [before, connection] = [watchedSymbols.peek(), api.peek()]
  if (before === undefined || !connection) return Promise.resolve()
  const after = changed(before)
  wanted.value = after
  writing = writing.then(async () => {
    try {
      await write(connection, changed, after)
      if (api.peek() === connection) tellOthers()
    } catch (error) {
      toast(`The watchlist was not changed: ${(error as Error).message}`)
    }
    // A later change has its own symbols.
    if (wanted.peek() === after) wanted.value = undefined
  })
  return writing
}

/** Another tab may have changed the list since it was read. An account without a list gets its first one. */
async function write(connection: Connection, changed: Change, first: readonly string[]): Promise<void> {
  const { client } = connection
  const shown = shownList.peek()
  // The viewer has gone to another account meanwhile, whose list is another one.
  if (api.peek() !== connection) return
  const now = shown && (await client.getWatchlist({ params: { id: shown.id } }))
  const symbols = [...(now ? changed(symbolsOf(now)) : first)]
  const list = now
    ? await client.updateWatchlist({ params: { id: now.id }, body: { symbols } })
    : await client.createWatchlist({ body: { name: FIRST_NAME, symbols } })
  if (api.peek() !== connection) return
  shownList.value = list
  if (!now) lists.value = [...(lists.peek() ?? []), list]
}

/** Other tabs read the list again after a change. */
const channel = new BroadcastChannel('quipu-watchlist')
const tellOthers = (): void => channel.postMessage('changed')

export const addSymbol = (symbol: string): Promise<void> =>
  change((symbols) => [...symbols.filter((one) => one !== symbol), symbol])

export const removeSymbol = (symbol: string): Promise<void> =>
  change((symbols) => symbols.filter((one) => one !== symbol))

/** Moves a symbol up or down by some rows. */
export const moveSymbol = (symbol: string, rows: number): Promise<void> =>
  change((symbols) => {
    const at = symbols.indexOf(symbol)
    const to = Math.min(Math.max(at + rows, 0), symbols.length - 1)
    return at < 0 ? symbols : symbols.toSpliced(at, 1).toSpliced(to, 0, symbol)
  })

export async function createList(name: string): Promise<void> {
  const connection = api.peek()
  if (!connection) return
  try {
    const made = await connection.client.createWatchlist({ body: { name, symbols: [] } })
    chooseList(made.id)
    tellOthers()
  } catch (error) {
    toast(`No watchlist was created: ${(error as Error).message}`)
  }
}

export async function deleteList(id: string): Promise<void> {
  await api
    .peek()
    ?.client.deleteWatchlist({ params: { id } })
    .catch((error: Error) => toast(`The watchlist was not deleted: ${error.message}`))
  tellOthers()
  await readLists()
}
