import type { JSX } from 'preact'
import { quantityText } from '../../format/amounts.ts'
import { current, isStale } from '../../live/current.ts'
import { Money } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { LoadingNumber } from '../../parts/states.tsx'
import { account, world, worldName } from '../../session/selection.ts'
import { homeWorld } from './steps-state.ts'

const SHOWN_MAX = 3

/** The account of the person in the home world. */
export function MainCard(): JSX.Element | null {
  if (worldName.value !== homeWorld.value || !account.value) return null
  const [known, positions] = [current.value?.store.account.value, current.value?.store.positions.value]
  const names = positions?.map(({ qty, symbol }) => `${quantityText(qty)} ${symbol}`) ?? []
  const more = names.length - SHOWN_MAX
  return (
    <Card
      title={`Your account in ${homeWorld.value}`}
      beside={
        world.value && (
          <span class="right faint small">{world.value.clock === 'wall' ? 'wall clock' : 'virtual'}</span>
        )
      }
    >
      <div class="stats">
        <div>
          <h3>Equity</h3>
          {known ? <Money value={known.equity} stale={isStale()} of="account.equity" /> : <LoadingNumber />}
        </div>
        <div>
          <h3>Cash</h3>
          {known ? <Money value={known.cash} stale={isStale()} of="account.cash" /> : <LoadingNumber />}
        </div>
        <div>
          <h3>Positions</h3>
          {positions ? (
            <span class="n">
              {names.slice(0, SHOWN_MAX).join(', ') || 'none'}
              {more > 0 && ` and ${more} more`}
            </span>
          ) : (
            <LoadingNumber />
          )}
        </div>
      </div>
    </Card>
  )
}
