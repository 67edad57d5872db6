import { type ReadonlySignal, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'

export type Asset = Output<'listAssets'>[number]

const read = new WeakMap<Connection, Promise<readonly Asset[]>>()

/** The stocks and crypto pairs of a world, read once. */
export function assetsOf(connection: Connection): Promise<readonly Asset[]> {
  const known = read.get(connection)
  if (known !== undefined) return known
  const listOf = (asset_class: 'us_equity' | 'crypto') =>
    connection.client.listAssets({ query: { status: 'active', asset_class } })
  const assets = Promise.all([listOf('us_equity'), listOf('crypto')]).then((lists) => lists.flat())
  assets.catch(() => read.delete(connection))
  read.set(connection, assets)
  return assets
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

const names = new WeakMap<Connection, ReadonlySignal<ReadonlyMap<string, string>>>()

/** The short names of all assets by symbol; empty until they are read. */
export function namesOf(connection: Connection): ReadonlySignal<ReadonlyMap<string, string>> {
  const known = names.get(connection)
  if (known !== undefined) return known
  const made = signal<ReadonlyMap<string, string>>(new Map())
  names.set(connection, made)
  assetsOf(connection).then(
    (assets) => {
      made.value = new Map(assets.map(({ symbol, name }) => [symbol, shortName(name)]))
    },
    () => names.delete(connection),
  )
  return made
}
