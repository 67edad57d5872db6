import { computed, signal } from '@preact/signals'
import type { LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { utcText } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { onRow } from '../../parts/row-click.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { go, hrefOf, place } from '../../router.ts'
import { apiUrl } from '../../session/session.ts'
import { Story } from '../../story/story.tsx'
import { followRequests, missed, requestLog } from './activity-logs.ts'
import { FiguresCard } from './figures-card.tsx'
import { filters, requestHref, setFilters } from './filters.ts'
import { type RequestRow, rowsOf } from './request-rows.ts'
import {
  isBackground,
  isOfClock,
  sentenceOf,
  shortKey,
  shortPath,
  sourceWord,
  tookText,
} from './request-words.ts'

const ROW_PX = 29

const isShown = (request: LoggedRequest): boolean => !isBackground(request) && !isOfClock(request)
const shownOf = (rows: readonly LoggedRequest[]): readonly LoggedRequest[] =>
  filters.value.show === 'all' ? rows : rows.filter(isShown)

const shownRows = computed(() => requestLog.rows.value && shownOf(requestLog.rows.value))
/** The groups of errors whose requests are shown. */
const opened = signal<ReadonlySet<string>>(new Set())
const groupedRows = computed(() => rowsOf(shownRows.value ?? [], opened.value))

function toggleGroup(key: string): void {
  const next = new Set(opened.peek())
  if (!next.delete(key)) next.add(key)
  opened.value = next
}
export const waitingRequests = computed(() => shownOf(requestLog.waiting.value).length)

/** The request log, live. */
export function RequestsList(): JSX.Element {
  useEffect(() => followRequests(), [])
  useListKeys()
  const rows = shownRows.value
  const chosen = place.value.item
  const hidden = (requestLog.rows.value?.length ?? 0) - (rows?.length ?? 0)
  if (rows === undefined && requestLog.problem.value)
    return <Failed what="requests" error={requestLog.problem.value} />
  if (rows === undefined) return <Loading rows={12} />
  if (rows.length === 0) return <NoRequests hidden={hidden} />
  return (
    <>
      {missed.value > 0 && (
        <p class="log-note of-warn small">{missed.value} requests were dropped before this page read them.</p>
      )}
      <FiguresCard rows={rows} />
      <VirtualRows
        label="Requests"
        class="log"
        items={groupedRows.value}
        rowHeight={ROW_PX}
        onScroll={(top) => {
          requestLog.setAtTop(top < 4)
          if (top < 4 && !requestLog.isPaused.peek()) requestLog.showWaiting()
        }}
        head={
          <tr>
            <th class="wide-only">Machine, UTC</th>
            <th>Request</th>
            <th class="path">Path</th>
            <th class="wide-only">Source</th>
            <th class="r">Status</th>
            <th class="r wide-only">Took</th>
          </tr>
        }
        row={(row) => <Row key={row.key} row={row} chosen={chosen} />}
      />
    </>
  )
}

/** A request, or a group of errors, which has a count and a button that shows its requests. */
function Row({
  row: { requests, key, isOpen, isPart },
  chosen,
}: {
  readonly row: RequestRow
  readonly chosen: string | undefined
}): JSX.Element {
  const [request] = requests as readonly [LoggedRequest]
  const { request_id: id, at, method, path, query, status, ms, reason } = request
  const href = requestHref(id)
  const isGroup = requests.length > 1
  const isChosen = isGroup ? !isOpen && requests.some((one) => one.request_id === chosen) : id === chosen
  return (
    <tr
      class={`${isChosen ? 'selected' : ''} ${isPart ? 'part' : ''}`}
      data-href
      onClick={onRow(() => (isGroup ? toggleGroup(key) : go(href)))}
    >
      <td class="mono faint wide-only" title={at}>
        {utcText(at)}
      </td>
      <td class="cut said">
        {isGroup ? (
          <button
            type="button"
            class="link group"
            aria-expanded={isOpen}
            title={`${requests.length} requests with the same error, the newest ${id}`}
          >
            <b class="n">{requests.length.toLocaleString('en-US')} ×</b> {groupSentence(requests)}
          </button>
        ) : (
          <WithStory request={request}>
            <a href={href} aria-current={isChosen ? 'true' : undefined} title={`request ${id}`}>
              {sentenceOf(request)}
            </a>
          </WithStory>
        )}
      </td>
      <td class="cut mono faint path" title={query ? `${path}?${query}` : path}>
        <Method name={method} /> {shortPath(path)}
      </td>
      <td class="wide-only">
        <Source request={request} />
      </td>
      <td class="r">
        <StatusCode status={status} reason={reason} />
      </td>
      <td class="r n soft wide-only">
        {tookText(ms)}
        <span class="faint"> ms</span>
      </td>
    </tr>
  )
}

/** The sentence of all requests of the group, or of the newest one as an example. */
function groupSentence([newest, ...others]: readonly LoggedRequest[]): string {
  const sentence = newest ? sentenceOf(newest) : ''
  return others.every((one) => sentenceOf(one) === sentence) ? sentence : `like “${sentence}”`
}

const placing = new Set(['placeOrder', 'placeOrderForAccount'])

/** An order tells its story, and so does a refused request. */
const WithStory = ({
  request,
  children,
}: {
  readonly request: LoggedRequest
  readonly children: JSX.Element
}): JSX.Element =>
  placing.has(request.operation ?? '') || request.reason !== undefined ? (
    <Story subject={{ request: request.request_id }} hasFocus>
      {children}
    </Story>
  ) : (
    children
  )

/** The kind of program, and its key. */
const Source = ({ request }: { readonly request: LoggedRequest }): JSX.Element => {
  const { key_id: key, agent, source } = request
  return (
    <span title={[agent, key].filter((one) => one !== undefined).join(', ')}>
      {sourceWord(request)}{' '}
      {key !== undefined && source !== 'dashboard' && <span class="mono faint">{shortKey(key)}</span>}
    </span>
  )
}

export const Method = ({ name }: { readonly name: string }): JSX.Element => (
  <span class={`method ${name.toLowerCase()}`}>{name}</span>
)

/** An error has a shape and a weight, so that the colour is not the only signal. */
const StatusCode = ({
  status,
  reason,
}: {
  readonly status: number | null
  readonly reason: string | undefined
}): JSX.Element => (
  <span
    class={`n status-code ${(status ?? 500) >= 400 ? 'error' : ''}`}
    title={reason ?? (status === null ? 'the connection was closed without a response' : undefined)}
  >
    {status ?? 'none'}
  </span>
)

function NoRequests({ hidden }: { readonly hidden: number }): JSX.Element {
  const { method, status, path, by, source } = filters.value
  if (method ?? status ?? path ?? by ?? source)
    return (
      <Empty
        icon="search"
        title="No request matches"
        actions={
          <button
            type="button"
            class="button small"
            onClick={() =>
              setFilters({
                method: undefined,
                status: undefined,
                path: undefined,
                by: undefined,
                source: undefined,
              })
            }
          >
            Clear the filters
          </button>
        }
      >
        New requests that match appear here.
      </Empty>
    )
  return <Connect hidden={hidden} />
}

/** `j` and `k` move, `p` pauses, Escape closes the request. */
function useListKeys(): void {
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const rows = shownRows.peek() ?? []
      const at = rows.findIndex(({ request_id: id }) => id === place.peek().item)
      const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)]
      if (next) go(requestHref(next.request_id), { replace: at >= 0 })
    }
    return addKeys('Activity', { j: move(1), k: move(-1) })
  }, [])
}

/** How a program reaches this server; the keys are not in the page. */
function Connect({ hidden }: { readonly hidden: number }): JSX.Element {
  const text = [
    `export APCA_API_BASE_URL=${apiUrl.value}`,
    'export APCA_API_KEY_ID=…',
    'export APCA_API_SECRET_KEY=…',
  ].join('\n')
  return (
    <div class="empty connect">
      <Icon name="pulse" />
      <b>No request yet. Point your bot here:</b>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      <div class="actions">
        <Copy text={text} class="button small" />
        <a class="button small bare" href={hrefOf('keys')}>
          <Icon name="key" /> Keys
        </a>
        {hidden > 0 && (
          <button type="button" class="button small bare" onClick={() => setFilters({ show: 'all' })}>
            Show {hidden} requests of this dashboard
          </button>
        )}
      </div>
      <p class="small faint">
        <code>eval "$(quipu env)"</code> sets all three.
      </p>
    </div>
  )
}
