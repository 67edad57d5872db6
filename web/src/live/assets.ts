import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { ApiError, type Output } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { untilRead } from './repeat.ts'

export type Asset = Output<'listAssets'>[number]

type AssetList = {
  /** undefined before it is read. */
  readonly assets: Signal<readonly Asset[] | undefined>
  readonly names: ReadonlySignal<ReadonlyMap<string, string>>
  readonly read: Promise<void>
}

const lists = new WeakMap<Connection, AssetList>()

/** The list of a connection. It is read once; a symbol that is added later comes by `findAsset`. */
function listOf(connection: Connection): AssetList {
  const known = lists.get(connection)
  if (known !== undefined) return known
  const assets = signal<readonly Asset[] | undefined>(undefined)
  const active = (asset_class: 'us_equity' | 'crypto') =>
    connection.client.listAssets({ query: { status: 'active', asset_class } })
  const read = untilRead(() => Promise.all([active('us_equity'), active('crypto')])).then((parts) => {
    assets.value = parts.flat()
  })
  read.catch(() => lists.delete(connection))
  const names = computed(
    () => new Map((assets.value ?? []).map(({ symbol, name }) => [symbol, shortName(name)])),
  )
  const made = { assets, names, read }
  lists.set(connection, made)
  return made
}

/** The stocks and crypto pairs of a world; undefined until they are read. */
export const assetsOf = (connection: Connection): ReadonlySignal<readonly Asset[] | undefined> =>
  listOf(connection).assets

/** The assets that match a text. An exact symbol is found also if it was added after the list was read. */
export async function searchAssets(
  connection: Connection,
  text: string,
  max: number,
  signal: AbortSignal,
): Promise<readonly Asset[]> {
  const { assets, read } = listOf(connection)
  await read
  if (matching(assets.peek()!, text, 1).length === 0)
    await findAsset(connection, text.trim().toUpperCase(), signal)
  return matching(assets.peek()!, text, max)
}

/** What a symbol may consist of; other texts are not looked up. */
const SYMBOL = /^[A-Z0-9.]{1,20}(\/[A-Z]{1,10})?$/

/** The asset of a symbol, from the list or the server; null if the world has no such asset. */
export async function findAsset(
  connection: Connection,
  symbol: string,
  signal: AbortSignal,
): Promise<Asset | null> {
  const { assets, read } = listOf(connection)
  await read
  const find = () => assets.peek()!.find((one) => one.symbol === symbol)
  const known = find()
  if (known || !SYMBOL.test(symbol)) return known ?? null
  const params = { symbol_or_asset_id: symbol }
  const asset = await untilRead(() => connection.client.getAsset({ params }, { signal }), signal).catch(
    ifUnknown,
  )
  if (asset?.symbol !== symbol || asset.status !== 'active') return null
  if (!find()) assets.value = [...assets.peek()!, asset]
  return asset
}

function ifUnknown(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}

/** The assets whose symbol or name begins with a text, exact symbols first. */
export function matching(assets: readonly Asset[], text: string, max: number): readonly Asset[] {
  const wanted = text.trim().toUpperCase()
  if (wanted === '') return []
  const rank = ({ symbol, name }: Asset): number => {
    if (symbol === wanted) return 0
    if (symbol.startsWith(wanted)) return 1
    const upper = name.toUpperCase()
    if (upper.startsWith(wanted)) return 2
    return upper.includes(` ${wanted}`) ? 3 : 9
  }
  return assets
    .map((asset) => [rank(asset), asset] as const)
    .filter(([points]) => points < 9)
    .sort(([a, first], [b, second]) => a - b || (first.symbol < second.symbol ? -1 : 1))
    .slice(0, max)
    .map(([, asset]) => asset)
}

/** A name without the kind of share: `Apple Inc. Common Stock` becomes `Apple Inc.`. */
export const shortName = (name: string): string =>
  name.replace(
    /,? (Class [A-Z] )?(Common Stock|Ordinary Shares?|Common Shares?|Depositary (Shares|Receipts)).*$/i,
    '',
  )

/** The short names of all assets by symbol; empty until they are read. */
export const namesOf = (connection: Connection): ReadonlySignal<ReadonlyMap<string, string>> =>
  listOf(connection).names
