import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../../../keyboard.ts'
import { current } from '../../../live/current.ts'
import { remembered } from '../../../session/remembered.ts'
import { ActivityTab } from './activity-tab.tsx'
import './blotter.css'
import { FillsTab } from './fills-tab.tsx'
import { OrdersTab, openOrderCount } from './orders-tab.tsx'
import { PositionsTab } from './positions-tab.tsx'

const tabs = {
  positions: { title: 'Positions', Shown: PositionsTab },
  orders: { title: 'Open orders', Shown: OrdersTab },
  fills: { title: 'Fills', Shown: FillsTab },
  activity: { title: 'Activity', Shown: ActivityTab },
} as const
type TabName = keyof typeof tabs
const names = Object.keys(tabs) as readonly TabName[]

const chosen = remembered<TabName>('blotter-tab', 'positions', (stored) =>
  names.find((name) => name === stored),
)

/** Positions, orders, fills and activity of the account, under the chart. */
export function Blotter(): JSX.Element {
  useLayoutEffect(
    () =>
      addKeys('Workspace', {
        '1': () => chosen.set('positions'),
        '2': () => chosen.set('orders'),
        '3': () => chosen.set('fills'),
        '4': () => chosen.set('activity'),
      }),
    [],
  )
  const tab = chosen.value
  const { Shown, title } = tabs[tab]
  return (
    <section class="card blotter" aria-label="Blotter">
      <div class="tabs" role="tablist" aria-label="Blotter">
        {names.map((name) => (
          <Tab key={name} name={name} />
        ))}
      </div>
      <div class="blotter-panel" role="tabpanel" id="blotter-panel" aria-label={title}>
        <Shown />
      </div>
    </section>
  )
}

function Tab({ name }: { readonly name: TabName }): JSX.Element {
  const isChosen = chosen.value === name
  const count = countOf(name)
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isChosen}
      aria-controls="blotter-panel"
      tabIndex={isChosen ? 0 : -1}
      onClick={() => chosen.set(name)}
      onKeyDown={moveTab}
    >
      {tabs[name].title}
      {count !== undefined && <span class="count">{count}</span>}
    </button>
  )
}

function moveTab(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const at = (names.indexOf(chosen.value) + step + names.length) % names.length
  chosen.set(names[at]!)
  const all = (event.currentTarget as HTMLElement).parentElement?.querySelectorAll<HTMLElement>(
    '[role="tab"]',
  )
  all?.[at]?.focus()
}

function countOf(name: TabName): string | undefined {
  if (name === 'positions') return current.value?.store.positions.value?.length.toString()
  return name === 'orders' ? openOrderCount() || undefined : undefined
}
