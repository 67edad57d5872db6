import type { LedgerLeg } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { quantityText } from '../../format/amounts.ts'
import { decimal, negate, signOf, textOf } from '../../format/decimal.ts'
import { dayText, secondText } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { legName } from '../../parts/ledger-names.ts'
import { onRow } from '../../parts/row-click.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { hrefOf, setQuery } from '../../router.ts'
import { worldName } from '../../session/selection.ts'
import { Story } from '../../story/story.tsx'
import { CASH, choice, chooseEvent, chooseGroup } from './ledger-choice.ts'
import { legsProblem, reader } from './ledger-state.ts'
import { amountText, type Row, rows, rowWords } from './postings.ts'

/** The postings of the chosen balance, live, newest first. */
export function PostingsCard(): JSX.Element {
  useListKeys()
  const shown = rows.value
  return (
    <Card title="Postings" class="ledger-postings" beside={<Filters />}>
      {legsProblem.value && !shown ? (
        <Failed what="postings" error={legsProblem.value} />
      ) : !shown ? (
        <Loading rows={6} />
      ) : shown.length === 0 ? (
        <Empty icon="scale" title="No posting">
          A fill posts cash and shares.
        </Empty>
      ) : (
        <List shown={shown} />
      )}
    </Card>
  )
}

function List({ shown }: { readonly shown: readonly Row[] }): JSX.Element {
  const { event, asset, group, order } = choice.value
  const hasAfter = order === undefined && group === undefined && asset !== undefined
  return (
    <VirtualRows
      label="Postings, newest first"
      items={shown}
      head={
        <tr>
          <th>Time, New York</th>
          <th>What</th>
          <th class="wide-only">Event</th>
          <th class="wide-only">Order</th>
          <th class="r">Amount</th>
          {hasAfter && <th class="r wide-only">{asset === CASH ? 'Cash after' : `${asset} after`}</th>}
        </tr>
      }
      row={(row) => [
        <Line key={row.key} row={row} isOpen={row.number === event} hasAfter={hasAfter} />,
        row.number === event && (
          <Legs key={`${row.key} legs`} number={row.number} columns={hasAfter ? 6 : 5} />
        ),
      ]}
    />
  )
}

function Line({
  row,
  isOpen,
  hasAfter,
}: {
  readonly row: Row
  readonly isOpen: boolean
  readonly hasAfter: boolean
}): JSX.Element {
  const { leg, amount, after, asset, number } = row
  const [verb, size, rest] = rowWords(row)
  const hasUnit = choice.value.asset === undefined
  const shown = [
    `${signOf(amount) > 0 ? '+' : ''}${amountText(amount, asset)}`,
    hasUnit && <span class="faint"> {asset}</span>,
  ]
  return (
    <tr
      class={isOpen ? 'selected' : ''}
      data-href
      onClick={onRow(() => chooseEvent(isOpen ? undefined : number))}
    >
      <td class="mono faint" title={leg.at}>
        <span class="wide-only">{dayText(leg.at)} </span>
        {secondText(leg.at)}
      </td>
      <td class="cut">
        <button type="button" class="posting-name" aria-expanded={isOpen}>
          {verb} {size && <b>{size}</b>} {rest}
        </button>
      </td>
      <td class="mono faint wide-only">{number}</td>
      <td class="mono wide-only">
        {leg.order_id !== undefined && (
          <a class="link" href={hrefOf('orders', leg.order_id)}>
            {leg.order_id.slice(0, 8)}
          </a>
        )}
      </td>
      <td class="r n" data-number={`posting.${number}.${asset}`}>
        {leg.order_id === undefined ? shown : <Story subject={{ order: leg.order_id }}>{shown}</Story>}
      </td>
      {hasAfter && (
        <td class="r n soft wide-only" data-number={`balance_after.${number}.${asset}`}>
          {after ? amountText(after, asset) : '–'}
        </td>
      )}
    </tr>
  )
}

/** All legs of a posting that the viewer may see: what was paid, and who received it. */
function Legs({ number, columns }: { readonly number: number; readonly columns: number }): JSX.Element {
  const [known, setKnown] = useState<readonly LedgerLeg[]>()
  useEffect(() => {
    const query = { cursor: `${number - 1}`, limit: 1 }
    reader
      .peek()
      ?.client.listPostings({ params: { world: worldName.peek() }, query } as never)
      .then(({ postings }) => setKnown(postings.filter((leg) => leg.number === number)))
      .catch(() => setKnown([]))
  }, [number])
  const requestId = known?.find((leg) => leg.request_id !== undefined)?.request_id
  return (
    <tr class="posting-legs">
      <td colSpan={columns}>
        {known === undefined ? (
          <Loading rows={1} />
        ) : (
          <div class="from-to">
            <Side title="From" legs={known.filter(({ amount }) => amount.startsWith('-'))} />
            <Side title="To" legs={known.filter(({ amount }) => !amount.startsWith('-'))} />
            {requestId !== undefined && (
              <a class="chip tint" href={hrefOf('activity', requestId)}>
                <Icon name="pulse" />
                request …{requestId.slice(-7)}
              </a>
            )}
          </div>
        )}
      </td>
    </tr>
  )
}

const Side = ({
  title,
  legs,
}: {
  readonly title: string
  readonly legs: readonly LedgerLeg[]
}): JSX.Element => (
  <dl>
    <dt class="faint small">{title}</dt>
    {legs.map((leg) => {
      const amount = decimal(leg.amount)
      return (
        <dd key={leg.leg}>
          <span>{legName(leg)}</span>
          <b class="n" data-number={`leg_size.${leg.number}.${leg.leg}`}>
            {amountText(signOf(amount) < 0 ? negate(amount) : amount, leg.asset)} {leg.asset}
          </b>
        </dd>
      )
    })}
  </dl>
)

/** The filters in force, each with a button that ends it, and the download. */
function Filters(): JSX.Element {
  const { group, order, asset } = choice.value
  const shown = rows.value ?? []
  return (
    <>
      <div class="filters">
        {asset !== undefined && (
          <span class="chip wide-only">
            Asset <b>{asset}</b>
          </span>
        )}
        {order !== undefined && (
          <button
            type="button"
            class="chip"
            aria-pressed="true"
            onClick={() => setQuery({ order: undefined })}
          >
            Order {order.slice(0, 8)} <Icon name="close" />
            <span class="hidden-text">, show all postings</span>
          </button>
        )}
        {group !== undefined && (
          <button type="button" class="chip" aria-pressed="true" onClick={() => chooseGroup(undefined)}>
            {group} <Icon name="close" />
            <span class="hidden-text">, show all postings</span>
          </button>
        )}
      </div>
      <button
        type="button"
        class="button small right"
        disabled={shown.length === 0}
        onClick={() => download(shown)}
      >
        <Icon name="download" /> CSV
      </button>
    </>
  )
}

/** Downloads the rows of the list with exact amounts. */
function download(shown: readonly Row[]): void {
  const lines = shown.map(({ leg, number, asset, amount, after }) =>
    [
      leg.at,
      number,
      leg.kind,
      asset,
      textOf(amount),
      after ? textOf(after) : '',
      leg.symbol ?? '',
      leg.qty === undefined ? '' : quantityText(leg.qty).replaceAll(',', ''),
      leg.price ?? '',
      leg.order_id ?? '',
    ].join(','),
  )
  const text = ['at,event,kind,asset,amount,balance_after,symbol,qty,price,order_id', ...lines].join('\n')
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `postings-${worldName.peek()}.csv`
  link.click()
  URL.revokeObjectURL(url)
}

/** `j` and `k` open the next and the previous posting. */
function useListKeys(): void {
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const shown = rows.peek() ?? []
      const at = shown.findIndex(({ number }) => number === choice.peek().event)
      const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)]
      if (next) chooseEvent(next.number)
    }
    return addKeys('Ledger', { j: move(1), k: move(-1), Escape: () => chooseEvent(undefined) })
  }, [])
}
