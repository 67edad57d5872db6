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

type Change = {
  /** Such as one symbol more. */
  readonly symbols: (before: readonly string[]) => readonly string[]
  readonly send: (client: Connection['client'], list: List) => Promise<List>
}

let writing: Promise<void> = Promise.resolve()

/** Changes the symbols: on screen at once, on the server one change after the other. */
function change({ symbols, send }: Change): Promise<void> {
  const [before, connection] = [watchedSymbols.peek(), api.peek()]
  if (before === undefined || !connection) return Promise.resolve()
  const after = symbols(before)
  if (after === before) return Promise.resolve()
  wanted.value = after
  writing = writing.then(async () => {
    try {
      await inTurn(() => write(connection, send, after))
      if (api.peek() === connection) tellOthers()
    } catch (error) {
      toast(`The watchlist was not changed: ${(error as Error).message}`)
      // Such as a symbol that another tab has removed.
      await readLists()
    }
    // A later change has its own symbols.
    if (wanted.peek() === after) wanted.value = undefined
  })
  return writing
}

/**
 * One tab after the other: a move writes what it has read. A page without TLS from another machine has no locks; a move
 * may then undo what another tab changes at the same moment.
 */
const inTurn = (work: () => Promise<void>): Promise<void> =>
  navigator.locks === undefined ? work() : navigator.locks.request('quipu-watchlist', work)

/** An account without a list gets its first one. */
async function write(connection: Connection, send: Change['send'], first: readonly string[]): Promise<void> {
  const { client } = connection
  const shown = shownList.peek()
  // The viewer has gone to another account meanwhile, whose list is another one.
  if (api.peek() !== connection) return
  const list = shown
    ? await send(client, shown)
    : await client.createWatchlist({ body: { name: FIRST_NAME, symbols: [...first] } })
  if (api.peek() !== connection) return
  shownList.value = list
  if (!shown) lists.value = [...(lists.peek() ?? []), list]
}

/** Other tabs read the list again after a change. */
const channel = new BroadcastChannel('quipu-watchlist')
const tellOthers = (): void => channel.postMessage('changed')

export const addSymbol = (symbol: string): Promise<void> =>
  change({
    symbols: (before) => (before.includes(symbol) ? before : [...before, symbol]),
    send: (client, { id }) => client.addToWatchlist({ params: { id }, body: { symbol } }),
  })

export const removeSymbol = (symbol: string): Promise<void> =>
  change({
    symbols: (before) => before.filter((one) => one !== symbol),
    send: (client, { id }) => client.removeFromWatchlist({ params: { id, symbol } }),
  })

/** Moves a symbol up or down by some rows. Another tab may have changed the list since it was read. */
export function moveSymbol(symbol: string, rows: number): Promise<void> {
  const symbols: Change['symbols'] = (before) => {
    const at = before.indexOf(symbol)
    const to = Math.min(Math.max(at + rows, 0), before.length - 1)
    return at < 0 ? before : before.toSpliced(at, 1).toSpliced(to, 0, symbol)
  }
  return change({
    symbols,
    send: async (client, { id }) => {
      const now = symbolsOf(await client.getWatchlist({ params: { id } }))
      return client.updateWatchlist({ params: { id }, body: { symbols: [...symbols(now)] } })
    },
  })
}

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
