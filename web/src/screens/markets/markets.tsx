import type { JSX } from 'preact'
import { Empty } from '../../parts/states.tsx'
import { place } from '../../router.ts'
import { account } from '../../session/selection.ts'
import { MarketList } from './market-list.tsx'
import './markets.css'
import { SymbolScreen } from './symbol-screen.tsx'

/** Prices: a list of symbols, or the chart of one. */
export default function Markets(): JSX.Element {
  const { item } = place.value
  if (!account.value)
    return (
      <Empty icon="candles" title="You have no account in this world">
        Prices are read with an account. An operator can give you one, or you can choose another world.
      </Empty>
    )
  return item === undefined ? <MarketList /> : <SymbolScreen key={item} symbol={item.toUpperCase()} />
}
