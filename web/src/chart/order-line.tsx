import { ApiError } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { priceText } from '../format/amounts.ts'
import { add, compare, type Decimal, multiply, numberOf, signOf, textOf } from '../format/decimal.ts'
import { Icon } from '../parts/icon.tsx'
import { api } from '../session/selection.ts'
import { isAuditor } from '../session/session.ts'
import type { ChartView } from './chart-view.ts'
import {
  effectText,
  levelName,
  levelText,
  type OrderLevel,
  onTick,
  replaceText,
  tickOf,
} from './order-levels.ts'

/** A price that the viewer has moved the line to, and what becomes of it. */
type Draft = {
  readonly price: Decimal
  readonly phase: 'moving' | 'asking' | 'sending'
}

type OrderLineProps = {
  readonly level: OrderLevel
  readonly view: ChartView
  readonly increment: string | undefined
}

/** An open order on the chart. It is drawn again if it or the view changes, not if other orders do. */
export const OrderLine = ({ level, view, increment }: OrderLineProps): JSX.Element =>
  useMemo(() => <Line level={level} view={view} increment={increment} />, [level, view, increment])

/** Drag it or move it with the arrow keys to replace the order, × cancels. */
function Line({ level, view, increment }: OrderLineProps): JSX.Element {
  const line = useRef<HTMLDivElement>(null)
  const [draft, setDraft] = useState<Draft>()
  const [problem, setProblem] = useState<string>()
  const price = draft?.price ?? level.price
  const y = view.y(numberOf(price))
  const shownY = Math.min(Math.max(y, 14), view.height - 14)
  const run = (action: Promise<unknown>): void => {
    setProblem(undefined)
    action.then(
      () => setDraft(undefined),
      (error: Error) => {
        setDraft(undefined)
        setProblem(error instanceof ApiError ? `Refused: ${error.message}` : error.message)
      },
    )
  }
  const confirm = (): void => {
    const connection = api.peek()
    if (draft?.phase !== 'asking' || !connection) return
    setDraft({ ...draft, phase: 'sending' })
    const params = { order_id: level.order.id }
    run(connection.quipu.write('replaceOrder', { params, body: { [level.field]: textOf(draft.price) } }))
  }
  const putBack = (): void => {
    setDraft(undefined)
    setProblem(undefined)
  }
  return (
    <div
      ref={line}
      class={`order-line ${draft ? 'moved' : ''} ${y !== shownY ? 'outside' : ''}`}
      style={{ top: `${shownY}px`, width: `${view.width}px` }}
      onKeyDown={(event) => {
        const answer = event.key === 'Escape' ? putBack : undefined
        if (!answer || (!draft && problem === undefined)) return
        event.preventDefault()
        event.stopPropagation()
        answer()
      }}
    >
      <span class="rule" />
      {draft && <Before level={level} view={view} at={shownY} />}
      <div class="order-tag">
        <Grip
          {...{ level, view, increment, price, confirm }}
          isAsking={draft?.phase === 'asking'}
          move={(next, phase) => {
            setProblem(undefined)
            if (compare(next, level.price) === 0 && phase === 'asking') setDraft(undefined)
            else setDraft({ price: next, phase })
          }}
        />
        <button
          data-changes
          type="button"
          aria-label={`Cancel order: ${levelText(level)} at ${priceText(level.price)}`}
          onClick={() => run(api.peek()?.quipu.orders.cancel(level.order.id) ?? Promise.resolve())}
        >
          <Icon name="close" />
        </button>
      </div>
      <span class="axis-tag" aria-hidden="true">
        {priceText(price)}
      </span>
      {draft && draft.phase !== 'moving' && (
        <ReplaceQuestion {...{ level, draft, confirm, putBack }} isHigh={shownY > view.height - 110} />
      )}
      {problem !== undefined && (
        <div class="tip order-question" role="alert">
          <b class="of-wrong">{problem}</b>
          <button type="button" class="button small bare" onClick={putBack}>
            Close
          </button>
        </div>
      )}
    </div>
  )
}

/** The price before the move stays faint. */
function Before({
  level,
  view,
  at,
}: {
  readonly level: OrderLevel
  readonly view: ChartView
  readonly at: number
}): JSX.Element | null {
  const y = view.y(numberOf(level.price))
  return y < 0 || y > view.height ? null : <span class="rule before" style={{ top: `${y - at}px` }} />
}

type GripProps = OrderLineProps & {
  readonly price: Decimal
  readonly isAsking: boolean
  readonly move: (price: Decimal, phase: 'moving' | 'asking') => void
  readonly confirm: () => void
}

function Grip({ level, view, increment, price, isAsking, move, confirm }: GripProps): JSX.Element {
  const [isHeld, setHeld] = useState(false)
  const priceUnder = (event: PointerEvent & { readonly currentTarget: HTMLElement }): Decimal => {
    const plot = event.currentTarget.closest('.overlay')!.getBoundingClientRect()
    const at = view.priceAt(Math.min(Math.max(event.clientY - plot.top, 0), view.height))
    return onTick(at, tickOf(level.price, increment))
  }
  const step = (ticks: number): void => {
    const next = add(price, multiply(tickOf(price, increment), { units: BigInt(ticks), places: 0 }))
    if (signOf(next) > 0) move(next, 'asking')
  }
  if (level.isFixed || isAuditor.value) return <span class="grip fixed">{levelText(level)}</span>
  return (
    <div
      class="grip"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={levelName(level)}
      aria-valuemin={0}
      aria-valuemax={numberOf(price) * 2}
      aria-valuenow={numberOf(price)}
      aria-valuetext={priceText(price)}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        event.currentTarget.focus()
        setHeld(true)
      }}
      onPointerMove={(event) => {
        if (isHeld) move(priceUnder(event), 'moving')
      }}
      onPointerUp={(event) => {
        if (isHeld && compare(price, level.price) !== 0) move(priceUnder(event), 'asking')
        setHeld(false)
      }}
      onPointerCancel={() => {
        setHeld(false)
        move(level.price, 'asking')
      }}
      onKeyDown={(event) => {
        const size = event.shiftKey ? 10 : 1
        if (event.key === 'ArrowUp' || event.key === 'ArrowRight') step(size)
        else if (event.key === 'ArrowDown' || event.key === 'ArrowLeft') step(-size)
        else if (event.key === 'Enter' && isAsking) confirm()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <span aria-hidden="true" class="dots" />
      {levelText(level)}
    </div>
  )
}

function ReplaceQuestion({
  level,
  draft,
  confirm,
  putBack,
  isHigh,
}: {
  readonly level: OrderLevel
  readonly draft: Draft
  readonly confirm: () => void
  readonly putBack: () => void
  readonly isHigh: boolean
}): JSX.Element {
  const isSending = draft.phase === 'sending'
  return (
    <div class={`tip order-question ${isHigh ? 'above' : ''}`} role="group" aria-label="Replace the order">
      <b role="status">{replaceText(level, draft.price)}</b>
      <span class="soft">{effectText(level, draft.price)}</span>
      <div class="actions">
        <button type="button" class="button small main" disabled={isSending} onClick={confirm}>
          {isSending ? 'Sending' : 'Replace'} <kbd>↵</kbd>
        </button>
        <button type="button" class="button small" disabled={isSending} onClick={putBack}>
          Put back <kbd>Esc</kbd>
        </button>
      </div>
    </div>
  )
}
