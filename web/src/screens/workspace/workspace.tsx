import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/states.tsx'
import { account } from '../../session/selection.ts'
import { Ticket } from '../../ticket/ticket.tsx'
import { changeTicket, fields, startOrder } from '../../ticket/ticket-fields.ts'
import { FirstCard } from '../first/first-card.tsx'
import { ActivityCard } from './activity-card.tsx'
import { EquityCard } from './equity-card.tsx'
import './workspace.css'
import { OrdersCard } from './orders-card.tsx'
import { PositionsCard } from './positions-card.tsx'

/** The account at a glance, and the order ticket. */
export default function Workspace(): JSX.Element {
  const first = current.value?.store.positions.value?.[0]?.symbol
  useEffect(() => {
    // The ticket begins with a symbol that the viewer knows.
    if (first !== undefined && fields.peek().symbol === '') changeTicket({ symbol: first })
  }, [first])
  if (!account.value)
    return (
      <Empty icon="workspace" title="You have no account in this world">
        An operator can give you one, or you can choose another world.
      </Empty>
    )
  const isPaused = clock.value?.isVirtual && clock.value.speed === 0 && !clock.value.advance
  return (
    <>
      <h1 class="hidden-text">Workspace</h1>
      <FirstCard />
      <div class="cols">
        <div class="stack">
          <EquityCard />
          <div class="fields phone-only">
            <button
              data-changes
              type="button"
              class="button main big"
              onClick={() => startOrder({ side: 'buy' })}
            >
              Buy
            </button>
            <button
              data-changes
              type="button"
              class="button big"
              onClick={() => startOrder({ side: 'sell' })}
            >
              Sell
            </button>
          </div>
          <PositionsCard />
          <div class="two">
            <OrdersCard />
            <ActivityCard />
          </div>
        </div>
        <aside data-changes class="stack" aria-label="Order">
          <Ticket />
          {isPaused && (
            <div class="note sim">
              <Icon name="clock" />
              <b>The clock of this world is paused</b>
              <p>
                Nothing moves until you press play or advance. <kbd>Space</kbd>
              </p>
            </div>
          )}
        </aside>
      </div>
    </>
  )
}
