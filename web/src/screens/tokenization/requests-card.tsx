import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { fractionLength, quantityText } from '../../format/amounts.ts'
import { nearText } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { nowMs } from '../../live/clock.ts'
import { Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { onRow } from '../../parts/row-click.ts'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { go, hrefOf, place, setQuery } from '../../router.ts'
import { requestHref, requests } from './live-requests.ts'
import { startMint, usualSymbol } from './mint-form.tsx'
import { durationOf, type Request } from './request-steps.ts'
import { MiniCord, RequestStatus, tookText, typeText } from './request-words.tsx'

const isWaitingOnly = (): boolean => place.value.query.get('show') === 'waiting'

const shownOf = (all: readonly Request[]): readonly Request[] =>
  isWaitingOnly() ? all.filter(({ status }) => status === 'pending') : all

/** The requests of the world, or of the account, newest first. */
export function RequestsCard(): JSX.Element {
  useListKeys()
  const all = requests.value.value
  const waiting = all?.filter(({ status }) => status === 'pending').length
  return (
    <Card
      title="Requests"
      class="requests-card"
      beside={
        <>
          {all && <span class="chip">{all.length}</span>}
          <fieldset class="filters right" aria-label="Filter">
            <Filter name={undefined} text="All" />
            <Filter name="waiting" text={waiting === undefined ? 'Waiting' : `Waiting ${waiting}`} />
          </fieldset>
        </>
      }
    >
      <Shown of={requests} what="the requests" rows={6}>
        {(read) => (read.length === 0 ? <NoRequests /> : <List rows={shownOf(read)} />)}
      </Shown>
    </Card>
  )
}

const Filter = ({
  name,
  text,
}: {
  readonly name: string | undefined
  readonly text: string
}): JSX.Element => (
  <button
    type="button"
    class="chip"
    aria-pressed={isWaitingOnly() === (name !== undefined)}
    onClick={() => setQuery({ show: name })}
  >
    {text}
  </button>
)

function NoRequests(): JSX.Element {
  const held = usualSymbol.value
  return (
    <Empty
      icon="token"
      title="Mint turns shares into tokens"
      actions={
        held && (
          <button data-changes type="button" class="button main" onClick={() => startMint(held.symbol)}>
            Mint 1 {held.symbol}
          </button>
        )
      }
    >
      {held
        ? `You hold ${quantityText(held.qty)} ${held.symbol}.`
        : 'You hold no share that an issuer has a token for. Buy one first.'}
    </Empty>
  )
}

function List({ rows }: { readonly rows: readonly Request[] }): JSX.Element {
  if (rows.length === 0)
    return (
      <Empty icon="check" title="No request waits">
        All requests are completed or rejected.
      </Empty>
    )
  const places = Math.max(...rows.map(({ qty }) => fractionLength(quantityText(qty))))
  return (
    <VirtualRows
      label="List of requests"
      items={rows}
      head={
        <tr>
          <th class="wide-only">Time</th>
          <th>Type</th>
          <th class="r">Shares</th>
          <th>Asset</th>
          <th class="wide-only">Issuer</th>
          <th class="wide-only">Network</th>
          <th class="wide-only">Steps</th>
          <th>State</th>
          <th class="r wide-only">Took</th>
        </tr>
      }
      row={(request) => <Row key={request.tokenization_request_id} request={request} places={places} />}
    />
  )
}

function Row({ request, places }: { readonly request: Request; readonly places: number }): JSX.Element {
  const { tokenization_request_id: id, underlying_symbol: symbol, token_symbol: token } = request
  const [href, now, isChosen] = [requestHref(id), nowMs.value ?? Date.now(), place.value.item === id]
  const [from, to] = request.type === 'mint' ? [symbol, token] : [token, symbol]
  return (
    <tr class={isChosen ? 'selected' : ''} data-href onClick={onRow(() => go(href))}>
      <td class="mono faint wide-only">{nearText(request.created_at, now)}</td>
      <td>
        <a href={href} aria-current={isChosen ? 'true' : undefined}>
          {typeText(request)}
        </a>
      </td>
      <td class="r">
        <Quantity value={request.qty} align={places} />
      </td>
      <td>
        <b>{from}</b> <span class="faint wide-only">→ {to}</span>
      </td>
      <td class="wide-only">{request.issuer}</td>
      <td class="wide-only soft">{request.network}</td>
      <td class="wide-only">
        <MiniCord request={request} />
      </td>
      <td>
        <RequestStatus request={request} />
      </td>
      <td class="r n soft wide-only">{tookText(durationOf(request, now))}</td>
    </tr>
  )
}

function useListKeys(): void {
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const rows = shownOf(requests.value.peek() ?? [])
      const at = rows.findIndex(({ tokenization_request_id: id }) => id === place.peek().item)
      const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)]
      if (next) go(requestHref(next.tokenization_request_id), { replace: at >= 0 })
    }
    return addKeys('Tokenization', { j: move(1), k: move(-1), Escape: () => go(hrefOf('tokenization')) })
  }, [])
}
