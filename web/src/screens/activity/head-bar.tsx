import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { Icon } from '../../parts/icon.tsx'
import { accounts, world } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { eventLog, requestLog } from './activity-logs.ts'
import { chooseTab, filters, setFilters, type Tab, tab, tabs } from './filters.ts'
import { sourceNames } from './request-words.ts'
import { waitingRequests } from './requests-list.tsx'

const titles: Readonly<Record<Tab, string>> = {
  requests: 'Requests',
  events: 'Events',
  risk: 'Risk',
  streams: 'Streams',
  jobs: 'Jobs',
}
/** The kinds that only operators see. */
export const operatorTabs: readonly Tab[] = ['streams', 'jobs']

/** The kind of activity, its filters, and the pause button. */
export function HeadBar(): JSX.Element {
  const shown = tabs.filter((one) => isOperator.value || !operatorTabs.includes(one))
  return (
    <div class="page-head activity-head">
      <div class="choice" role="group" aria-label="Kind">
        {shown.map((one) => (
          <button key={one} type="button" aria-pressed={tab.value === one} onClick={() => chooseTab(one)}>
            {titles[one]}
          </button>
        ))}
      </div>
      {tab.value === 'requests' && <RequestFilters />}
      {tab.value === 'events' && <EventFilters />}
      {(tab.value === 'requests' || tab.value === 'events') && <LiveState />}
    </div>
  )
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const statuses = ['200', '201', '204', '400', '401', '403', '404', '409', '422', '429', '500', '503']

const RequestFilters = (): JSX.Element => (
  <div class="filters wide-only">
    <Choice name="method" label="Method">
      {methods.map((method) => (
        <option key={method}>{method}</option>
      ))}
    </Choice>
    <Choice name="status" label="Status">
      <option value="errors">Errors, 400 and up</option>
      <option value="server-errors">Errors, 500 and up</option>
      {statuses.map((status) => (
        <option key={status}>{status}</option>
      ))}
    </Choice>
    <TextFilter name="path" label="Path" placeholder="Path: /v2/orders" />
    <Choice name="source" label="Source">
      {sourceNames.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </Choice>
    <AccountFilter />
    <button
      type="button"
      class="chip"
      aria-pressed={filters.value.show !== 'all'}
      title="Hides what dashboards read by themselves, and requests that read or move a clock"
      onClick={() => setFilters({ show: filters.peek().show === 'all' ? undefined : 'all' })}
    >
      Hide dashboard reads and clock
    </button>
  </div>
)

const EventFilters = (): JSX.Element => (
  <div class="filters wide-only">
    <TextFilter name="kind" label="Kind of event" placeholder="Kind: orderFilled" />
    <AccountFilter />
  </div>
)

function Choice({
  name,
  label,
  children,
}: {
  readonly name: 'method' | 'status' | 'by' | 'source'
  readonly label: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <select
      aria-label={label}
      value={filters.value[name] ?? ''}
      onChange={({ currentTarget: { value } }) => setFilters({ [name]: value || undefined })}
    >
      <option value="">{label}</option>
      {children}
    </select>
  )
}

function AccountFilter(): JSX.Element | null {
  if (!isOperator.value) return null
  const known = world.value?.accounts?.map(({ account_id: id, account_number: number }) => ({ id, number }))
  return (
    <Choice name="by" label="Account">
      {(known ?? accounts.value).map(({ id, number }) => (
        <option key={id} value={id}>
          {number}
        </option>
      ))}
    </Choice>
  )
}

function TextFilter({
  name,
  label,
  placeholder,
}: {
  readonly name: 'path' | 'kind'
  readonly label: string
  readonly placeholder: string
}): JSX.Element {
  const chosen = filters.value[name] ?? ''
  const [typed, setTyped] = useState(chosen)
  useEffect(() => setTyped(chosen), [chosen])
  const apply = () => setFilters({ [name]: typed.trim() || undefined })
  return (
    <input
      class="chip text-filter"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={apply}
    />
  )
}

/** Whether the list is live, and the button that pauses it. */
function LiveState(): JSX.Element {
  const log = tab.value === 'requests' ? requestLog : eventLog
  const { isPaused, problem } = log
  const waiting = tab.value === 'requests' ? waitingRequests.value : log.waiting.value.length
  const toggle = () => log.setPaused(!log.isPaused.peek())
  useLayoutEffect(() => addKeys('Activity', { p: toggle }), [log])
  const [dot, word] = problem.value
    ? ['warn', 'Reconnecting']
    : isPaused.value
      ? ['off', 'Paused']
      : log.rows.value
        ? ['live', 'Live']
        : ['off', 'Connecting']
  return (
    <div class="right live-state">
      {!isPaused.value && waiting > 0 && (
        <button type="button" class="button small" onClick={() => log.showWaiting()}>
          {waiting} new
        </button>
      )}
      <span class="chip tint" role="status">
        <span class={`dot ${dot}`} />
        {word}
      </span>
      <button type="button" class="button small" onClick={toggle}>
        <Icon name={isPaused.value ? 'play' : 'pause'} />{' '}
        {isPaused.value ? (waiting > 0 ? `Show ${waiting} new` : 'Go on') : 'Pause'}
      </button>
    </div>
  )
}
